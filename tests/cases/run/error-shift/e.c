int s = 40; int main(void) { return 1 << s; }
