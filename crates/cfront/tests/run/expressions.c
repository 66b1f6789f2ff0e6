int printf(const char *, ...);

static int calls;
static int trace(int x) { printf("[%d]", x); calls++; return x; }

struct bits { int a : 3; unsigned b : 5; _Bool c : 1; long d : 40; unsigned char e : 7; };

static void bit_fields(void) {
    struct bits s = {0};
    int r = s.a = 5;
    printf("%d %d\n", r, s.a);
    printf("%d\n", s.b = 37);
    printf("%d\n", s.c = 8);
    printf("%d\n", s.b++);
    printf("%d\n", ++s.b);
    printf("%d\n", s.b += 30);
    s.b = 31;
    printf("%d\n", s.b++);
    printf("%d\n", s.b);
    s.d = -1; s.e = 200;
    printf("%ld %d %d\n", (long)s.d, s.e, s.a - 1);
    s.d <<= 38;
    printf("%ld\n", (long)s.d);
}

static void short_circuit(void) {
    int a = trace(0) && trace(1);
    int b = trace(1) || trace(2);
    int c = trace(1) && (trace(0) || trace(3)) && !trace(0);
    printf("%d %d %d\n", a, b, c);
    int *p = 0;
    if (p && *p) printf("no\n");
    if (!p || *p) printf("yes\n");
    int d = trace(0) ? trace(1) : trace(2) ? trace(3) : trace(4);
    int e = trace(0) ?: trace(5);
    printf("%d %d %d\n", d, e, calls);
}

static void assignments(void) {
    int a[5] = {1, 2, 3, 4, 5}, i = 0;
    a[i++] += trace(10);
    a[i++] *= trace(3);
    printf("%d: %d %d %d\n", i, a[0], a[1], a[2]);
    int x, y, z;
    x = y = z = trace(7);
    x += y -= z *= 2;
    printf("%d %d %d\n", x, y, z);
    int *p = a;
    *p++ = a[2] + 1;
    printf("%d %ld\n", a[0], (long)(p - a));
    char c = 100;
    c += 100;
    unsigned char u = c;
    short s = c <<= 1;
    printf("%d %d %d\n", c, u, s);
    unsigned long long big = 1;
    big <<= 40;
    big |= 3;
    printf("%llx %d\n", big, (int)(big >> 39));
    double d = 1;
    d /= 3;
    i = 7;
    i *= 1.5;
    printf("%.17g %d %d\n", d, i, (int)-2.9);
}

static void conversions(void) {
    signed char sc = -1;
    unsigned char uc = sc;
    unsigned u = sc;
    printf("%d %u %d\n", uc, u, sc < 0u);
    printf("%d %d\n", -1 < 1u, -1L < 1u);
    printf("%d %d %d\n", (_Bool)0.5, (_Bool)"x", (_Bool)256);
    printf("%d %d\n", -7 / 2, -7 % 2);
    printf("%d %u\n", -8 >> 1, -8u >> 1);
    __int128 w = 1;
    w = (w << 100) + 5;
    printf("%llx %llx\n", (unsigned long long)(w >> 64), (unsigned long long)w);
    float f = 16777217;
    printf("%.1f %d\n", f, 0.1f == 0.1);
    long double ld = 1.0L / 3;
    printf("%.20Lf\n", ld);
    printf("%zu %zu\n", sizeof(struct bits), sizeof(1 ? 'a' : 2L));
}

static int comma(int n) { return (trace(n), n++, n * 2); }

int main(void) {
    bit_fields();
    short_circuit();
    assignments();
    conversions();
    printf("%d\n", comma(4));
    return calls;
}
