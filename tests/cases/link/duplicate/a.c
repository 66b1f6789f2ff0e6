int counter = 1;
int f(void) { return counter; }
