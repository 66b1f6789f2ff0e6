#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include "random.h"
static int through(const char *s, const char *f, ...) {
    va_list list;
    va_start(list, f);
    int r = vsscanf(s, f, list);
    va_end(list);
    return r;
}
int main(int argc, char **argv) {
    seed_from(argc, argv);
    char s[64], a[64], b[64];
    for (int i = 0; i < 300; i++) {
        some_text(s, 14, "0123456789+-x.eabf ", 19);
        int x = -7, n = -7;
        long long y = -7;
        short h = -7;
        signed char k = -7;
        strcpy(a, "none");
        strcpy(b, "none");
        int r = 0;
        switch (below(12)) {
        case 0: r = sscanf(s, "%d%n", &x, &n); break;
        case 1: r = sscanf(s, "%3d%lld", &x, &y); break;
        case 2: r = sscanf(s, "%i %hi", &x, &h); break;
        case 3: r = sscanf(s, "%x%n%s", (unsigned *)&x, &n, a); break;
        case 4: r = sscanf(s, "%s %s", a, b); break;
        case 5: r = sscanf(s, "%[0-9]%[^0-9]", a, b); break;
        case 6: r = sscanf(s, "%*d%s", a); break;
        case 7: r = through(s, "%o%3s", (unsigned *)&x, a); break;
        case 8: memset(a, 0, 10); r = sscanf(s, "%3c%n", a, &n); break;
        case 9: r = sscanf(s, "%2$s %1$d", &x, a); break;
        case 10: r = sscanf(s, "%[]a-f-]%n%hhd", a, &n, &k); break;
        case 11: r = sscanf(s, " %d , %d", &x, &n); break;
        }
        printf("[%s] %d %d %d %lld %d %d %s %s\n", s, r, x, n, y, h, k, a, b);
    }
    static const char *floats[] = {"1.5", "-2e3x", "0x1p4", "inf", "nan", "-infinity", ".5", "5.", "1e5 7", "-.25e-2q", "0x.8p1", "1e400", "1e-400", "infin", "0x", "0xg", "-0x", "1e", "1e+", "+", "i", "n", "nan(12)x"};
    for (unsigned i = 0; i < sizeof floats / sizeof *floats; i++) {
        float f = -1;
        double d = -1;
        int n = -1;
        int r = sscanf(floats[i], "%f%n", &f, &n);
        printf("%s %d %g %d ", floats[i], r, f, n);
        r = sscanf(floats[i], "%4lf", &d);
        printf("%d %g\n", r, d);
    }
    static const char *ints[] = {"0x", "0xg", "-0x1", "0b11", "08", "+", "-", "--1", "0", "0x0x", "1_"};
    for (unsigned i = 0; i < sizeof ints / sizeof *ints; i++) {
        int v = -1, n = -1;
        int r = sscanf(ints[i], "%i%n", &v, &n);
        printf("%s %d %d %d ", ints[i], r, v, n);
        v = n = -1;
        r = sscanf(ints[i], "%2x%n", &v, &n);
        printf("%d %d %d\n", r, v, n);
    }
    void *p = &p;
    printf("%d ", sscanf("(nil)", "%p", &p));
    printf("%d ", p == 0);
    printf("%d ", sscanf("0x1234", "%p", &p));
    printf("%p\n", p);
    char *m = 0;
    printf("%d ", sscanf("hello world", "%ms", &m));
    printf("%s\n", m);
    free(m);
    wchar_t w[20];
    printf("%d ", sscanf("wide words", "%ls", w));
    printf("%ls\n", w);
    long l = 0;
    errno = 0;
    printf("%d ", sscanf("99999999999999999999", "%ld", &l));
    printf("%ld %d\n", l, errno);
    printf("%d ", sscanf("", "%d", (int *)s));
    printf("%d\n", sscanf("%x", "%%%s", s));
    int k = 0;
    printf("%d ", sscanf("12 34", "%*d %d", &k));
    printf("%d\n", k);
    return 0;
}
