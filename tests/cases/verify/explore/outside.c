extern long __VERIFIER_nondet_long(void);
extern void reach_error(void);
int a[4];
int main(void) {
  long i = __VERIFIER_nondet_long();
  int *p = &a[i];
  if (p - a == 100) reach_error();
  return 0;
}
