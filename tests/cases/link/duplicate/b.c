int counter = 2;

int f(void) { return 2; }
