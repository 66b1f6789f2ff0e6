extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned n = 2 + __VERIFIER_nondet_uint() % 3, i = 0;
  int m[n][n];
  m[1][0] = 0;
  while (i < n)
    i++;
  if (m[1][0]) reach_error();
  return 0;
}
