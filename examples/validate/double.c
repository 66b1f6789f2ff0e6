extern unsigned __VERIFIER_nondet_uint(void);
void reach_error(void) {}
int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), i = 0, s = 0;
  while (i < n) {
    s += 2;
    i++;
  }
  if (s != 2 * n) reach_error();
  return 0;
}
