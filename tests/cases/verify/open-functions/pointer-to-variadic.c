#include <assert.h>
extern void get(const char *, ...);
static void keep(const char *format, ...) {}
extern int __VERIFIER_nondet_int(void);
int main(void) {
  void (*f)(const char *, ...) = __VERIFIER_nondet_int() ? get : keep;
  int x = 1;
  f("x", &x);
  assert(x == 1 || f != keep);
  assert(x == 1);
  return 0;
}
