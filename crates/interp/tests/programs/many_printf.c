#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "random.h"

static int through(char *to, size_t n, const char *f, ...) {
    va_list list;
    va_start(list, f);
    int r = vsnprintf(to, n, f, list);
    va_end(list);
    return r;
}
static void flags(char *f) {
    *f++ = '%';
    const char *all = "-+ #0'";
    for (int i = 0; i < 3; i++)
        if (below(2)) *f++ = all[below(6)];
    *f = 0;
}
static void amounts(char *f) {
    f += strlen(f);
    if (below(2)) f += sprintf(f, "%d", 1 + below(24));
    if (below(2)) f += below(5) ? sprintf(f, ".%d", below(20)) : sprintf(f, ".");
}
int main(int argc, char **argv) {
    seed_from(argc, argv);
    char f[64] = "", out[4000], text[40];
    for (int i = 0; i < 300; i++) {
        flags(f);
        amounts(f);
        int r = 0;
        memset(out, '~', sizeof out - 1);
        out[sizeof out - 1] = 0;
        size_t room = below(3) ? sizeof out : (size_t)below(12);
        long long v = some_number();
        double d = (double)some_number() / (1 + below(1000));
        switch (below(10)) {
        case 0: strcat(f, "d"); r = snprintf(out, room, f, (int)v); break;
        case 1: strcat(f, "hhd"); r = snprintf(out, room, f, (int)v); break;
        case 2: strcat(f, "hx"); r = through(out, room, f, (int)v); break;
        case 3: strcat(f, "lo"); r = snprintf(out, room, f, (long)v); break;
        case 4: strcat(f, "llX"); r = through(out, room, f, v); break;
        case 5: strcat(f, "zu"); r = snprintf(out, room, f, (size_t)v); break;
        case 6: strcat(f, "s"); some_text(text, 20, "abcdefg", 7); r = snprintf(out, room, f, text); break;
        case 7: strcat(f, "c"); r = snprintf(out, room, f, 'a' + below(26)); break;
        case 8: f[strlen(f)] = "eEfFgGaA"[below(8)], f[strlen(f) + 1] = 0; r = through(out, room, f, d); break;
        case 9: strcat(f, "ji"); r = snprintf(out, room, f, v); break;
        }
        printf("%s %d|%.*s|\n", f, r, room ? (int)(sizeof out - 1) : 0, room ? out : "");
        memset(f, 0, sizeof f);
    }
    printf("%d\n", printf("%2$d %1$d\n", 1, 2));
    printf("%d\n", printf("%2$*1$d|%3$.*1$f|%4$s|%2$x\n", 5, 42, 1.25, "four"));
    printf("%d\n", printf("%1$s %1$s %2$c%2$d\n", "twice", 'x'));
    printf("%d\n", printf("%3$s %1$s\n", "one", 2, "three"));
    char *made = 0;
    printf("%d ", asprintf(&made, "%s-%05d", "x", 42));
    printf("%s\n", made);
    free(made);
    int n1 = 0;
    long n2 = 0;
    signed char n3 = 0;
    printf("%d\n", sprintf(out, "abc%n%d%ln%s%hhn", &n1, 12345, &n2, "zz", &n3));
    printf("%d %ld %d\n", n1, n2, n3);
    printf("%d\n", snprintf(0, 0, "%d%%%s", 12345, "abc"));
    printf("[%ls] [%lc] [%5.2ls]\n", L"wide", L'w', L"precise");
    errno = 0;
    printf("%d", snprintf(out, 10, "%lc", 0x20ac));
    printf(" %d\n", errno);
    printf("%s %.3s %.10s|\n", (char *)0, (char *)0, (char *)0);
    fflush(stdout);
    printf("%d\n", dprintf(1, "%s %d\n", "descriptor", 7));
    printf("%d ", dprintf(77, "x"));
    printf("%d\n", errno);
    printf("%d\n", fprintf(stdin, "x"));
    errno = 2;
    printf("%m %d\n", 3);
    return 0;
}
