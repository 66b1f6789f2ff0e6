int getc(void *); int main(void) { return getc(0); }
