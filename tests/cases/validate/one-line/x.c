char nd(void);
int main(void) {
  char buf[8]; int n = 0;
  do { char c = nd(); if (c == 'q') break; buf[n] = c; n++; } while (n < 9);
  return buf[0];
}
