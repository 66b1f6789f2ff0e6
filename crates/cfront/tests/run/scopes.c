int printf(const char *, ...);

int x = 1;
extern int later[];
static int tentative;
static int tentative;
int f() { extern int x; int x2 = x; { int x = 5; { extern int x; x2 += x; } x2 += x; } return x2; }
int uses_later(void) { return later[2] + tentative; }
int later[3] = {1, 2, 3};
static int tentative = 40;
int kr(a, b, c) char a; float b; { return a + b + c; }
int max(int a, int b) { return ({ typeof(a) p = a, q = b; p > q ? p : q; }); }

static int volatile_counter(void) {
    volatile int v = 0;
    for (int i = 0; i < 3; i++) v += i;
    int w = v++;
    return w + v;
}
enum color { red, green = 5, blue };
static const char *name(enum color c) {
    switch (c) { case red: return "red"; case green: return "green"; case blue: return "blue"; }
    return "?";
}
static int loop_scope(void) {
    int s = 0;
    for (int i = 0; i < 3; i++) { int i = 10; s += i++; static int n = 3; s += n++; }
    return s;
}
static int fact(int n) { return n <= 1 ? 1 : n * fact(n - 1); }
static int generic(void) { return _Generic(1.0f, int: 1, float: 2, default: 3) + _Generic('a', char: 10, int: 20); }

int main(int argc, char **argv) {
    printf("%d %d %d %d\n", f(), uses_later(), kr(1, 2.5, 3), max(3, max(9, 2)));
    printf("%d %s %s %d %d %d\n", volatile_counter(), name(blue), name(7), loop_scope(), fact(10), generic());
    printf("%d %s\n", argc, __func__);
    int r = __builtin_popcount(0xff) + __builtin_clz(1) + __builtin_ctz(8) + __builtin_ffs(0);
    printf("%d %x\n", r, __builtin_bswap32(0x11223344));
    int o;
    int over = __builtin_add_overflow(2147483647, 1, &o);
    printf("%d %d\n", over, o);
    return 3;
}
