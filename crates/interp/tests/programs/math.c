#include <fenv.h>
#include <math.h>
#include <stdio.h>

#define ONE(f) for (int i = 0; i < count; i++) printf("%s(%g) = %.17g\n", #f, x[i], f(x[i]));
#define ONEF(f) for (int i = 0; i < count; i++) printf("%s(%g) = %.9g\n", #f, x[i], f((float)x[i]));

int main(void) {
    double x[] = {0.0, -0.0, 0.5, 1.0, -1.5, 2.5, 3.7, 1e-10, 123.456, -7.25, 1e10};
    int count = sizeof x / sizeof *x;
    ONE(sin) ONE(cos) ONE(tan) ONE(atan) ONE(exp) ONE(exp2) ONE(expm1) ONE(tanh)
    ONE(floor) ONE(ceil) ONE(trunc) ONE(round) ONE(rint) ONE(nearbyint) ONE(fabs)
    ONEF(sinf) ONEF(cosf) ONEF(expf) ONEF(floorf) ONEF(roundf) ONEF(fabsf)
    for (int i = 0; i < count; i++) {
        double a = fabs(x[i]) + 0.25;
        printf("%.17g %.17g %.17g %.17g %.17g %.9g\n", sqrt(a), log(a), log2(a), log10(a), log1p(a), sqrtf((float)a));
        printf("%.17g %.17g %.17g\n", pow(a, 1.7), hypot(a, 2), atan2(x[i], a));
        printf("%.17g %.17g %.17g %.17g\n", fmod(x[i], 0.7), remainder(x[i], 0.7), copysign(a, x[i]), fdim(x[i], 1));
        printf("%.17g %.17g %.17g\n", fmax(x[i], 1), fmin(x[i], 1), fma(x[i], a, 1));
        printf("%ld %ld %lld %d\n", lround(x[i]), lrint(x[i]), llround(x[i]), ilogb(a));
        int e;
        double whole;
        printf("%.17g ", frexp(x[i], &e));
        printf("%d %.17g", e, ldexp(x[i], 5));
        printf(" %.17g", modf(x[i], &whole));
        printf(" %.17g\n", whole);
        printf("%.17g %.17g\n", nextafter(x[i], 10), logb(a));
        printf("%.21Lg %.21Lg %.21Lg %.21Lg\n", sqrtl((long double)a), floorl(x[i]), fabsl(x[i]), fmodl(x[i], 0.7L));
    }
    double zero = 0, inf = 1 / zero, nan = inf - inf;
    double odd[] = {zero, -zero, inf, -inf, 1e-310, 1};
    for (int i = 0; i < 6; i++)
        printf("%d %d %d %d %d %d\n", isnan(odd[i]) != 0, isinf(odd[i]) != 0, isfinite(odd[i]) != 0, isnormal(odd[i]) != 0,
               signbit(odd[i]) != 0, fpclassify(odd[i]));
    printf("%d %d %d %d\n", isnan(nan) != 0, nan == nan, isless(1.0, nan), isunordered(1.0, nan) != 0);
    float f = 16777217;
    double d = 0.1f;
    long double ld = 0.1;
    printf("%.9g %.17g %.21Lg %d %u %lld\n", f, d, ld, (int)-2.9, (unsigned)3e9, (long long)-1e15);
    printf("%.17g %.17g %.9g\n", (double)0xffffffffffffffffULL, (double)-1LL, (float)0x7fffffff);
    ld = 1;
    for (int i = 1; i < 30; i++) ld *= i + 0.5L;
    printf("%.21Lg %.21Lg %d\n", ld, ld / 7 - 1, ld > 1e20L);
    return 0;
}
