int d; int main(void) { return 10 / d; }
