static int g;
__attribute__((constructor)) static void init(void) { g = 2; }
extern void __VERIFIER_error(void);
int main(void) { if (g == 2) __VERIFIER_error(); return 0; }
int f(void) { if (g == 0) __VERIFIER_error(); return 0; }
