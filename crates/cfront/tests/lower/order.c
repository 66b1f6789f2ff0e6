int f(int), g(int), two(int, int), v, a[10];
int *next(void);

int nested(int x) { return f(g(x) + f(x)); }
int global_is_saved(void) { return v + f(1); }
int local_is_not(int x) { return x + f(1); }
int changed_local(int x) { return x + (x = 3); }
int unchanged_local(int x, int y) { return x + (y = 3); }
int arguments(int i) { return two(i++, i++); }
int argument_before_call(int *p) { return two(*p, f(2)); }
int element(int i) { return a[i] + a[++i]; }
int comma(int x) { return (f(x), x++, x); }
void dropped(int x, int *p) { f(x); x; *p; x / v; }
int by_pointer(int (*p[])(int), int i) { return p[i++](i); }
int address_taken(void) {
    int x = 1, *p = &x;
    return x + f(*p);
}
void assign_through(int **p) { **p = f(1); *next() = f(2); }
