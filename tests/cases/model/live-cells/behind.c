extern int __VERIFIER_nondet_int(void);
extern long read(int, void *, unsigned long);
static unsigned any(void) { return __VERIFIER_nondet_int(); }
int a[2], b[2], i, out; int *p;
int main(void) {
  for (;;) {
    i = any() ? 1 : 0;
    a[i] = any() ? 1 : 0; b[i] = any() ? 1 : 0;
    p = any() ? a : b;
    read(0, p, sizeof a);
    out = a[i]; if (out == 1) out = 5; else if (out == 0) out = 6;
    out = b[i]; if (out == 1) out = 7; else if (out == 0) out = 8;
  }
}
