#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

static const double doubles[] = {0.0, -0.0, 1.0, -1.0, 0.1, 0.5, 1.5, 2.5, 123456789.0, 1e-5, 9.9995e-5, 0.00012345,
                                 9999995.0, 1e21, 1e22, 1.7976931348623157e308, 5e-324, 2.2250738585072014e-308,
                                 3.141592653589793, 2.718281828459045, 1.0 / 3, 100, 1e15, 1e16, 1e17};

int main(void) {
    const char *integers[] = {"[%d]", "[%5d]", "[%-5d]", "[%05d]", "[%+d]", "[% d]", "[%.3d]", "[%8.3d]", "[%-8.3d]",
                              "[%08.3d]", "[%.0d]", "[%+.0d]", "[%i]", "[%u]", "[%o]", "[%#o]", "[%x]", "[%#x]", "[%X]",
                              "[%#X]", "[%#08x]", "[%-#8x]", "[%#.5x]", "[%#.0o]", "[%.10u]", "[%20u]", "[%hhd]", "[%hd]", "[%hhu]"};
    int values[] = {0, 1, -1, 42, -42, INT_MAX, INT_MIN, 255, 256, 65536};
    for (size_t f = 0; f < sizeof integers / sizeof *integers; f++) {
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) printf(integers[f], values[v]);
        printf("\n");
    }
    printf("%ld %li %lu %lx %lld %llu %jd %zu %td %zd\n", LONG_MAX, LONG_MIN, ULONG_MAX, 0xdeadbeefcafeUL, LLONG_MIN,
           ULLONG_MAX, INTMAX_MIN, sizeof(int), (ptrdiff_t)-5, (size_t)7);
    const char *floats[] = {"[%f]", "[%.0f]", "[%.1f]", "[%.3f]", "[%10.2f]", "[%-10.2f]", "[%010.2f]", "[%+.2f]", "[% .2f]",
                            "[%#.0f]", "[%.20f]", "[%e]", "[%.0e]", "[%.3e]", "[%E]", "[%15.4e]", "[%#.0e]", "[%g]", "[%.0g]",
                            "[%.3g]", "[%.10g]", "[%.17g]", "[%G]", "[%#g]", "[%#.3g]", "[%12g]", "[%-12g]", "[%012g]", "[%a]",
                            "[%.0a]", "[%.1a]", "[%.5a]", "[%.20a]", "[%A]", "[%20a]", "[%020a]", "[%#a]", "[%.40f]", "[%.60e]"};
    for (size_t f = 0; f < sizeof floats / sizeof *floats; f++) {
        for (size_t v = 0; v < sizeof doubles / sizeof *doubles; v++) printf(floats[f], doubles[v]);
        printf("\n");
    }
    printf("%f %F %e %g %G %5f|%-5f|%05f|%+f\n", INFINITY, INFINITY, -INFINITY, INFINITY, NAN, INFINITY, -INFINITY, INFINITY, INFINITY);
    printf("%.1100f\n%.800g\n", 5e-324, 5e-324);
    long double wide[] = {0.0L, 1.0L, 1.0L / 3, 1e4000L, 3.6e-4951L, -2.5L, 0x1.8p-16400L, 12345.678L};
    for (size_t v = 0; v < sizeof wide / sizeof *wide; v++) {
        printf("[%Lf][%.3Le][%.30Lg][%La][%.3La][%.0La][%30.10LG]\n", wide[v] > 1e300L ? 1.5L : wide[v], wide[v], wide[v], wide[v],
               wide[v], wide[v], wide[v]);
    }
    printf("[%s][%10s][%-10s][%.2s][%10.2s][%c][%5c][%-5c][%%]\n", "hello", "hello", "hello", "hello", "hello", 'a', 'b', 'c');
    printf("[%*d][%-*d][%*d][%.*d][%.*d][%*.*f]\n", 6, 42, 6, 42, -6, 42, 4, 42, -1, 42, 8, 2, 3.14159);
    int n1 = 0, n2 = 0;
    printf("12345%n678%n\n", &n1, &n2);
    printf("%d %d %p %s\n", n1, n2, (void *)0, (char *)0 ? "x" : "y");
    printf("%p %#p\n", (void *)0x1234, (void *)0xabc);
    char buffer[16];
    int len = snprintf(buffer, sizeof buffer, "%s and %d", "a long text", 12345);
    printf("%d %s\n", len, buffer);
    len = snprintf(buffer, 0, "%d", 123456);
    printf("%d %s\n", len, buffer);
    len = sprintf(buffer, "%5.1f|%-4d|", 2.25, 7);
    printf("%d %s\n", len, buffer);
    printf("%ls|%5ls|%.2ls|%lc\n", L"wide", L"ab", L"xyz", L'q');
    return 0;
}
