extern int __VERIFIER_nondet_int(void);
static unsigned any(void) { return __VERIFIER_nondet_int(); }
struct { int a, b; } s;
int main(void) {
  for (;;) { s.b = any() ? 1 : 0; any(); s.a = 1; any(); s.a = 0; }
}
