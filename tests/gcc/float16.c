// _Float16: kept in 16 bits, computed with the digits of float until it is stored.
#include <stdio.h>

#define KIND(x) _Generic((x), _Float16: "half", float: "float", double: "double", default: "other")

_Float16 global = 1.5f16;
static double folded = 0.1f16 * 3.0f16;
struct pair { _Float16 a; char c; } pair = {2.1, 3};

static _Float16 product(_Float16 a, _Float16 b) { return a * b; }
static double as_double(double d) { return d; }

int main(void) {
    volatile _Float16 x = 0.1, y = 3, z = 1;
    printf("%a %a\n", (double)x, (double)(x * y));
    printf("%a %a\n", (double)product(x, y), as_double(x * y));
    printf("%a %a\n", (double)(x * y + z), (double)((_Float16)(x * y) + z));
    printf("%a %a\n", x * y + 1.0, x * y + 1.0f);
    printf("%a %a\n", (double)(z ? x * y : z), (double)-(x * y));
    printf("%d %d\n", x * y == (_Float16)(x * y), (int)(x * y * 10000));
    printf("%a\n", (double)({ x * y; }));
    __auto_type t = x * y;
    __typeof__(x * y) u = x * y;
    printf("%a %a\n", (double)t, (double)u);
    printf("%s %s %s %s %s\n", KIND(x * y), KIND(-x), KIND(x + 1), KIND(x + 1.0f), KIND(x + 1.0));
    printf("%zu %zu %zu\n", sizeof x, sizeof(x * y), sizeof(struct pair));
    x += y * 0.1f16;
    printf("%a\n", (double)x);
    printf("%a\n", (double)x++);
    x = x * y;
    printf("%a\n", (double)x);
    printf("%a %a %a\n", folded, (double)(global / y), (double)(float)pair.a);
    printf("%g %g %g\n", (double)(_Float16)65519.0, (double)(_Float16)65520.0, (double)(_Float16)1e-8);
    printf("%g %g\n", (double)((_Float16)60000 * 2), (double)(_Float16)(__int128)3000);
    unsigned short bits;
    __builtin_memcpy(&bits, (void *)&x, sizeof bits);
    printf("%x\n", bits);
    _Float16 a[3] = {1, 2, 3};
    printf("%g %d\n", (double)(a[0] + a[1] * a[2]), a[0] < a[1]);
    printf("%d %d\n", __builtin_isnan((_Float16)__builtin_nan("")), __builtin_isinf((_Float16)1e9) != 0);
    _Complex _Float16 c = 1 + 2i;
    c *= c;
    printf("%g %g %zu\n", (double)__real__ c, (double)__imag__ c, sizeof c);
    return 0;
}
