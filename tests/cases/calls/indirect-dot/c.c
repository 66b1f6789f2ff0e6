typedef int (*op)(int);
static int inc(int n) { return n + 1; }
static int dec(int n) { return n - 1; }
static int never(int n) { return n; }
static op table[] = {inc, dec};
static int even(int n);
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
int external(int);
int main(int argc, char **argv) {
  op f = table[argc & 1];
  return f(argc) + even(argc) + external(never(1));
}
