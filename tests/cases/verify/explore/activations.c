extern void reach_error(void);
int *outer;
void f(int n) {
  int x = n;
  if (n == 0) { if (outer != &x) reach_error(); return; }
  outer = &x;
  f(n - 1);
}
int main(void) { f(1); return 0; }
