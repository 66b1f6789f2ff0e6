int *leak(void) { int local = 1; int *p = &local; return p; }
int main(void) { int *p = leak(); return *p; }
