extern int nondet(void);
extern void reach_error(void);
int main(void) {
  int d = 0, x = 7 / d;
  if (x == 3) reach_error();
  return 0;
}
