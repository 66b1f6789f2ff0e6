int f(int), v, a[4];

int pure(int x, int y) { return x < 3 && (y || !v); }
int may_trap(int *p, int x) { return p && *p == x; }
int may_trap_first(int *p, int x) { return *p && x; }
int effect(int x) { return x || f(x) || v; }
void only_for_effect(int x) { x && f(x); }
int in_condition(int *p, int x) {
    if (!p || *p < 0 || x == 1 || x == 2 || f(x))
        return 1;
    return 2;
}
int negated(int x, int y) {
    if (!(x && f(y)))
        return 1;
    return 2;
}
int constant_index(int i) { return a[1] && a[i]; }
int division(int x, int y) { return y != 0 && x / y > 2 && x / 2; }
int choice(int x, int y) { return x ? y : f(x); }
int choice_in_condition(int x, int y) {
    while (x ? y : f(y))
        x--;
    return x;
}
void choice_for_effect(int x) { x ? f(1) : (void)f(2); }
int elvis(int x) { return f(x) ?: x; }
int elvis_of_pointer(char *p, char *q) { return *(p ?: q); }
int mixed(char *p, double d) { return p && d; }
_Bool to_bool(int x) { return x && f(x); }
