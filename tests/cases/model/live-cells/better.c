extern int __VERIFIER_nondet_int(void);
static unsigned any(void) { return __VERIFIER_nondet_int(); }
int a[3], i, j, out;
static int id(int v) { return v; }
static void tick(void) { }
static void f(void) { if (any()) j = 1; else j = 0; tick(); }
int main(void) {
  for (;;) {
    a[0] = 0; a[1] = any() ? 1 : 0; a[2] = any() ? 1 : 0;
    if (any() % 2) { i = id(1); f(); out = a[2]; if (out == 1) out = 5; }
    else { i = 1; f(); out = a[i + j]; if (out == 1) out = 6; }
  }
}
