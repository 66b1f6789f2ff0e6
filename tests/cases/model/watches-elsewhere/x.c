extern int in(void);
struct pair { int a; short b; };
struct device { int (*run)(int, int *); struct pair own; const char *name; };
static int f(int, int *);
static struct device d[2] = {{f, {1, 1}, "a"}, {f, {2, 2}, "b"}}; static struct device *dev = &d[0]; static int g1, g0;
static int f(int a, int *p) { *p = a; return a + 1; }
int main(void) {
  int i = in();
  f(1, &g1);
  g1 = i % 5;
  d[0].run(2, &d[g1 & 1].own.a);
  return 0;
}
