#include <stdio.h>
#include <string.h>

int main(void) {
    int got, a = -1, b = -1, c = -1, n = -1;
    unsigned u = 0;
    short s = 0;
    signed char hh = 0;
    long l = 0;
    long long ll = 0;
    float f = 0;
    double d = 0;
    long double ld = 0;
    char w[32], x[32], ch = 0;
    got = sscanf("12 -34 +56", "%d %d %d", &a, &b, &c);
    printf("%d %d %d %d\n", got, a, b, c);
    got = sscanf("0x1f 077 99", "%i %i %i", &a, &b, &c);
    printf("%d %d %d %d\n", got, a, b, c);
    got = sscanf("ff 0xAB", "%x %x", &u, (unsigned *)&a);
    printf("%d %x %x\n", got, u, a);
    got = sscanf("70000 300 -9999999999 123456789012345", "%hd %hhd %ld %lld", &s, &hh, &l, &ll);
    printf("%d %d %d %ld %lld\n", got, s, hh, l, ll);
    got = sscanf("1.5 -2.5e3 0x1.8p1", "%f %lf %Lf", &f, &d, &ld);
    printf("%d %g %g %Lg\n", got, f, d, ld);
    got = sscanf("hello world", "%s %s", w, x);
    printf("%d [%s] [%s]\n", got, w, x);
    got = sscanf("helloworld", "%5s%s", w, x);
    printf("%d [%s] [%s]\n", got, w, x);
    got = sscanf("abc123def", "%[a-z]%[0-9]", w, x);
    printf("%d [%s] [%s]\n", got, w, x);
    got = sscanf("key=value;rest", "key=%[^;]", w);
    printf("%d [%s]\n", got, w);
    got = sscanf("]x[y", "%[]x[]", w);
    printf("%d [%s]\n", got, w);
    got = sscanf(" z", "%c", &ch);
    printf("%d %c\n", got, ch);
    got = sscanf(" z", " %c", &ch);
    printf("%d %c\n", got, ch);
    got = sscanf("10 20 30", "%d %*d %d%n", &a, &b, &n);
    printf("%d %d %d\n", got, a, b);
    printf("%d\n", n);
    got = sscanf("12345", "%3d%d", &a, &b);
    printf("%d %d\n", got, a * 1000 + b);
    printf("%d\n", sscanf("", "%d", &a));
    printf("%d\n", sscanf("abc", "%d", &a));
    printf("%d\n", sscanf("  ", "%d", &a));
    got = sscanf("7%8", "%d%%%d", &a, &b);
    printf("%d %d\n", got, b);
    got = sscanf("5,6", "%d,%d", &a, &b);
    printf("%d %d\n", got, a + b);
    got = sscanf("5;6", "%d,%d", &a, &b);
    printf("%d %d\n", got, a);
    got = sscanf("inf", "%lf", &d);
    printf("%d %g\n", got, d);
    got = sscanf("1e", "%lf", &d);
    printf("%d %g\n", got, 0.0);
    got = sscanf("-1", "%u", &u);
    printf("%d %u\n", got, u);
    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        printf("line [%s] %zu\n", line, strlen(line));
        if (!strcmp(line, "numbers")) break;
    }
    int sum = 0, count = 0;
    while (scanf("%d", &a) == 1) {
        sum += a;
        count++;
    }
    printf("%d %d\n", sum, count);
    int k = getchar();
    printf("%c\n", k);
    ungetc('Q', stdin);
    printf("%c", getchar());
    while ((k = getchar()) != EOF) putchar(k);
    got = scanf("%d", &a);
    printf("%d %d\n", feof(stdin) != 0, got);
    return 0;
}
