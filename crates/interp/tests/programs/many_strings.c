#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "random.h"
extern char *__xpg_basename(char *);
static int sign(int x) { return (x > 0) - (x < 0); }
int main(int argc, char **argv) {
    seed_from(argc, argv);
    char a[40], b[40], c[200], d[200], *p, *q;
    for (int i = 0; i < 400; i++) {
        some_text(a, 10, "abAB0 1,/", 9);
        some_text(b, 6, "abAB0 1,/", 9);
        size_t n = below(8);
        int ch = "abAB0 1,/z"[below(10)];
        long long v = some_number();
        long long w = some_number();
        int base = below(3) ? 10 : below(37);
        int minus = below(2);
        memset(c, '-', sizeof c);
        c[0] = 0;
        printf("[%s] [%s] %zu %c:", a, b, n, ch);
#define AT(e, s) ((e) ? (int)((char *)(e) - (s)) : -1)
        switch (below(32)) {
        case 0: printf("%zu %zu", strlen(a), strnlen(a, n)); break;
        case 1: printf("%d %d", sign(strcmp(a, b)), sign(strncmp(a, b, n))); break;
        case 2: printf("%d %d", sign(strcasecmp(a, b)), sign(strncasecmp(a, b, n))); break;
        case 3: printf("%d %d", AT(strchr(a, ch), a), AT(strrchr(a, ch), a)); break;
        case 4: printf("%d %d", AT(strstr(a, b), a), AT(strcasestr(a, b), a)); break;
        case 5: printf("%zu %zu", strspn(a, b), strcspn(a, b)); break;
        case 6: printf("%d", AT(strpbrk(a, b), a)); break;
        case 7: printf("%d", AT(memchr(a, ch, n < strlen(a) ? n : strlen(a)), a)); break;
        case 8: printf("%d", AT(memmem(a, strlen(a), b, strlen(b)), a)); break;
        case 9: printf("%d", AT(strchrnul(a, ch), a)); break;
        case 10: strcpy(c, b); strncat(c, a, n); printf("%s", c); break;
        case 11: strncpy(c, a, n); printf("%.*s", (int)n, c); break;
        case 12: printf("%d %s", AT(stpcpy(c, a), c), c); break;
        case 13: memset(c, '-', 20); c[20] = 0; printf("%d %.*s", AT(stpncpy(c, a, n), c), (int)n, c); break;
        case 14: memset(c, 0, 20); printf("%d %s", AT(memccpy(c, a, ch, strlen(a)), c), c); break;
        case 15: for (p = strtok(a, ", "); p; p = strtok(0, ", ")) printf("<%s>", p); break;
        case 16: for (p = strtok_r(a, b, &q); p; p = strtok_r(0, b, &q)) printf("<%s>", p); break;
        case 17: p = a; while ((q = strsep(&p, ","))) printf("<%s>", q); break;
        case 18: printf("%d", sign(strverscmp(a, b))); break;
        case 19: strcpy(c, a); strcpy(d, a); printf("%s ", dirname(c)); printf("%s %s", __xpg_basename(d), (basename)(a)); break;
        case 20: p = strdup(a); q = strndup(b, n); printf("%s %s", p, q); free(p); free(q); break;
        case 21: swab(a, c, strlen(a)); printf("%.*s", (int)(strlen(a) & ~1u), c); break;
        case 22: printf("%d %d", fnmatch("*a*", a, 0), fnmatch("[a-b0]*", a, FNM_PATHNAME)); break;
        case 23: printf("%d %d", ffs((int)v), ffsll(w)); break;
        case 24: for (int k = 0; k < 8; k++) { int x = below(256); printf("%d%d%d%d%d%d ", !!isalpha(x), !!isspace(x), !!ispunct(x), !!isxdigit(x), !!iscntrl(x), toupper(x)); } break;
        case 25: errno = 0; p = a; printf("%ld ", strtol(a, &p, base)); printf("%d %d", AT(p, a), errno); break;
        case 26: sprintf(c, "%lld%s", v, b); errno = 0; printf("%lu ", strtoul(c, &p, 0)); printf("%d %d", AT(p, c), errno); break;
        case 27: sprintf(c, "%s0x%llx%s", minus ? "-" : " ", v, b); errno = 0; printf("%ld ", strtol(c, &p, 16)); printf("%d %d", AT(p, c), errno); break;
        case 28: sprintf(c, "%g%s", (double)v / 7, b); printf("%.15g ", strtod(c, &p)); printf("%d", AT(p, c)); break;
        case 29: sprintf(c, "%lld%lld", v, w); errno = 0; printf("%lld ", strtoll(c, &p, 10)); printf("%d %d", AT(p, c), errno); break;
        case 30: printf("%zu ", strxfrm(c, a, sizeof c)); printf("%s %d", c, sign(strcoll(a, b))); break;
        case 31: sprintf(c, "%lld", v); printf("%d %ld", atoi(b), atol(c)); break;
        }
        printf("\n");
    }
    static char *paths[] = {"", "/", "//", "///", "a", "a/", "/a", "a/b", "/a/b/", "a//b", "//a", "/a/", "a/b//", "..", "."};
    for (unsigned i = 0; i < sizeof paths / sizeof *paths; i++) {
        strcpy(c, paths[i]);
        strcpy(d, paths[i]);
        printf("[%s] [%s] ", paths[i], dirname(c));
        printf("[%s]\n", __xpg_basename(d));
    }
    static const char *versions[] = {"000", "00", "01", "010", "09", "0", "1", "9", "10", "a1", "a01", "a10", "1.2", "1.10", "a", "a001", "a0"};
    for (unsigned i = 0; i < sizeof versions / sizeof *versions; i++)
        for (unsigned k = 0; k < sizeof versions / sizeof *versions; k++)
            printf("%d ", sign(strverscmp(versions[i], versions[k])));
    printf("\n");
    static const char *patterns[] = {"*", "?", "a*", "*.c", "[!a]*", "[a-c]?", "\\*", "*/*", "[[:digit:]]*", "[", "[]a]", "a[/]b", ".*", "*a*b*"};
    static const char *names[] = {"", "a", ".a", "x.c", "a/b", "b1", "*", "1x", "[", "]", ".", "/.a", "axxb", "A"};
    static const int ways[] = {0, FNM_PATHNAME, FNM_PERIOD, FNM_NOESCAPE, FNM_CASEFOLD, FNM_LEADING_DIR, FNM_PATHNAME | FNM_PERIOD};
    for (unsigned i = 0; i < sizeof patterns / sizeof *patterns; i++)
        for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
            for (unsigned w = 0; w < 7; w++)
                printf("%d", fnmatch(patterns[i], names[k], ways[w]));
    printf("\n");
    for (int e = -2; e < 140; e++) printf("%s\n", strerror(e));
    for (int e = -2; e < 70; e++) printf("%s\n", strsignal(e));
    printf("%s\n", strerror_r(9999, c, sizeof c));
    printf("%s\n", strerror_r(2, c, sizeof c));
    char opts[] = "rw,size=10,bad,name=";
    char *tokens[] = {"rw", "size", "name", 0};
    p = opts;
    while (*p) {
        int k = getsubopt(&p, tokens, &q);
        printf("%d %s\n", k, q ? q : "-");
    }
    printf("%ld %s %s\n", a64l("zzAB./"), l64a(123456789), l64a(0));
    return 0;
}
