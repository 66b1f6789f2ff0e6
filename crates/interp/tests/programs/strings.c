#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int sign(int x) { return (x > 0) - (x < 0); }

int main(void) {
    char a[64] = "hello", b[64];
    printf("%zu %zu ", strlen(a), strnlen(a, 3));
    printf("%s\n", strcpy(b, a));
    strcat(b, " world");
    strncat(b, "!!!!", 2);
    printf("%s %d %d %d\n", b, sign(strcmp("abc", "abd")), sign(strncmp("abc", "abd", 2)), sign(memcmp("b", "a", 1)));
    strncpy(a, "xy", 10);
    for (int i = 0; i < 12; i++) printf("%d ", a[i]);
    printf("\n%s %s %s\n", strchr(b, 'o'), strrchr(b, 'o'), strstr(b, "wor"));
    printf("%d %d %d\n", strchr(b, 'z') == NULL, strstr(b, "") == b, strchr(b, 0) == b + strlen(b));
    printf("%zu %zu %s\n", strspn("aabbc", "ab"), strcspn("hello", "lo"), strpbrk("hello", "xl"));
    char t[] = "  one, two;three  ";
    for (char *p = strtok(t, " ,;"); p; p = strtok(NULL, " ,;")) printf("<%s>", p);
    char t2[] = "a::b", *save = t2, *tok;
    while ((tok = strsep(&save, ":"))) printf("(%s)", tok);
    char t3[] = "x-y-z", *state;
    for (char *p = strtok_r(t3, "-", &state); p; p = strtok_r(NULL, "-", &state)) printf("{%s}", p);
    char *d = strdup("copy"), *e = strndup("copying", 4);
    printf("\n%s %s %d\n", d, e, strcmp(d, e));
    free(d);
    free(e);
    char m[] = "0123456789";
    memmove(m + 2, m, 5);
    printf("%s %s\n", m, (char *)memchr(m, '3', 10));
    memcpy(m, "ABC", 3);
    memset(m + 3, '*', 2);
    printf("%s %s", m, (char *)mempcpy(b, "zz", 2) - 2);
    printf(" %s\n", stpcpy(b, "end") - 3);
    printf("%d %d\n", sign(strcasecmp("HeLLo", "hEllO")), sign(strncasecmp("ABCx", "abcy", 3)));
    printf("%s|%s|%s\n", strerror(ENOENT), strerror(EINVAL), strerror(0));
    printf("%d %d %d\n", ffs(0), ffs(8), ffs(-1));
    printf("%s\n", (char *)memmem("hello world", 11, "o w", 3));
    for (int c = -1; c < 256; c++)
        printf("%d%d%d%d%d%d%d%d%d%d%d%d ", !!isalpha(c), !!isdigit(c), !!isalnum(c), !!isspace(c), !!isupper(c), !!islower(c),
               !!ispunct(c), !!isprint(c), !!isgraph(c), !!iscntrl(c), !!isxdigit(c), !!isblank(c));
    for (int c = 0; c < 128; c++) putchar(toupper(tolower(c)) > 31 ? toupper(c) : '.');
    printf("\n%d %d\n", atoi("  -42x"), atoi("+7"));
    printf("%ld %ld %ld\n", strtol("0x1F", NULL, 0), strtol("077", NULL, 0), strtol("zz", NULL, 36));
    char *end;
    long v = strtol("123abc", &end, 10);
    printf("%ld %s\n", v, end);
    errno = 0;
    v = strtol("99999999999999999999", &end, 10);
    printf("%ld %d [%s]\n", v, errno == ERANGE, end);
    errno = 0;
    printf("%lu %d\n", strtoul("-1", NULL, 10), errno);
    printf("%llu %lld\n", strtoull("18446744073709551615", NULL, 10), strtoll("-9223372036854775808", NULL, 10));
    v = strtol("0xg", &end, 16);
    printf("%ld [%s]\n", v, end);
    double number;
    printf("%.17g %.17g %.17g %.9g\n", strtod("3.14", &end), strtod("1e400", NULL), strtod("0x1.8p3", NULL), strtof("0.1", NULL));
    number = strtod("  -12.5e1xyz", &end);
    printf("%.17g [%s]\n", number, end);
    number = strtod("1e+", &end);
    printf("%.17g [%s]\n", number, end);
    number = strtod("nothing", &end);
    printf("%g [%s] %g %.20Lg\n", number, end, strtod(".5", NULL), strtold("0.1", NULL));
    printf("%g %g\n", atof("2.5"), strtod("infinity", NULL));
    return 0;
}
