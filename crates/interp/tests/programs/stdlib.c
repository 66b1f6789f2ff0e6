#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct big {
    int key;
    char pad[60];
};

static int comparisons;
static int by_int(const void *a, const void *b) {
    comparisons++;
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}
static int by_key(const void *a, const void *b) {
    comparisons++;
    return ((const struct big *)a)->key / 10 - ((const struct big *)b)->key / 10;
}
static jmp_buf env;
static int escaping(const void *a, const void *b) {
    if (*(const int *)a == 7 || *(const int *)b == 7) longjmp(env, 3);
    return by_int(a, b);
}
static void first(void) { printf("first\n"); }
static void second(void) { printf("second\n"); }

static double total(int count, ...) {
    va_list list, copy;
    va_start(list, count);
    va_copy(copy, list);
    double sum = 0;
    for (int i = 0; i < count; i++) sum += i % 2 ? va_arg(list, double) : va_arg(list, int);
    for (int i = 0; i < count; i++) sum += i % 2 ? va_arg(copy, double) : va_arg(copy, int);
    va_end(copy);
    va_end(list);
    return sum;
}
struct pair {
    long a, b;
};
static long pairs(int n, ...) {
    va_list list;
    va_start(list, n);
    long sum = 0;
    while (n--) {
        struct pair p = va_arg(list, struct pair);
        sum += p.a * p.b;
    }
    sum += va_arg(list, int);
    long double ld = va_arg(list, long double);
    sum += (long)ld;
    va_end(list);
    return sum;
}
static int format(char *to, const char *f, ...) {
    va_list list;
    va_start(list, f);
    int n = vsprintf(to, f, list);
    va_end(list);
    return n;
}

int main(void) {
    for (int i = 0; i < 5; i++) printf("%d ", rand());
    srand(12345);
    for (int i = 0; i < 5; i++) printf("%d ", rand());
    srand(0);
    printf("%d\n", rand());
    unsigned seed = 7;
    for (int i = 0; i < 3; i++) printf("%d ", rand_r(&seed));
    srand48(99);
    printf("%.10f ", drand48());
    printf("%ld ", lrand48());
    printf("%ld %u\n", mrand48(), seed);
    srandom(5);
    printf("%ld\n", random());

    int v[100];
    srand(3);
    for (int i = 0; i < 100; i++) v[i] = rand() % 50;
    qsort(v, 100, sizeof *v, by_int);
    for (int i = 0; i < 100; i += 9) printf("%d ", v[i]);
    int key = v[40];
    int *found = bsearch(&key, v, 100, sizeof *v, by_int);
    printf("%d %d\n", comparisons, *found == key);
    printf("%d\n", bsearch(&(int){1000}, v, 100, sizeof *v, by_int) == NULL);
    struct big big[20];
    memset(big, 0, sizeof big);
    for (int i = 0; i < 20; i++) big[i].key = rand() % 100;
    comparisons = 0;
    qsort(big, 20, sizeof *big, by_key);
    for (int i = 0; i < 20; i++) printf("%d ", big[i].key);
    printf("%d\n", comparisons);
    int w[] = {5, 3, 7, 1};
    int jumped = setjmp(env);
    if (!jumped) qsort(w, 4, sizeof *w, escaping);
    printf("jumped %d\n", jumped);

    div_t d = div(-7, 2);
    ldiv_t l = ldiv(100, 7);
    lldiv_t ll = lldiv(-100, 7);
    printf("%d %d %ld %ld %lld %lld %d %ld\n", d.quot, d.rem, l.quot, l.rem, ll.quot, ll.rem, abs(-3), labs(-4L));
    printf("%g\n", total(4, 1, 2.5, 3, 4.5));
    struct pair p = {2, 3}, q = {4, 5};
    printf("%ld\n", pairs(2, p, q, 6, 7.9L));
    char text[64];
    int n = format(text, "%s:%d:%.2f:%c:%Lg", "abc", 5, 1.25, 'x', 2.5L);
    printf("%d %s\n", n, text);

    int *grown = NULL;
    for (int i = 1; i <= 100; i++) {
        grown = realloc(grown, i * sizeof *grown);
        grown[i - 1] = i;
    }
    int sum = 0;
    for (int i = 0; i < 100; i++) sum += grown[i];
    free(grown);
    int *zero = calloc(10, sizeof *zero);
    for (int i = 0; i < 10; i++) sum += zero[i];
    free(zero);
    printf("%d\n", sum);
    setenv("CWOLF_TEST", "value", 1);
    printf("%s %d\n", getenv("CWOLF_TEST"), getenv("CWOLF_NONE") == NULL);
    unsetenv("CWOLF_TEST");
    printf("%d\n", getenv("CWOLF_TEST") == NULL);

    time_t when = 1700000000;
    struct tm *tm = gmtime(&when);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %a %j %U %%", tm);
    printf("%s %s", text, asctime(tm));
    struct tm back = {.tm_year = 100, .tm_mon = 13, .tm_mday = -5, .tm_hour = 30};
    long seconds = timegm(&back);
    printf("%ld %d %d\n", seconds, back.tm_mon, back.tm_mday);
    FILE *f = tmpfile();
    fprintf(f, "line %d\nsecond %s\n", 1, "text");
    rewind(f);
    int k;
    char word[16];
    n = fscanf(f, "line %d second %15s", &k, word);
    printf("%d %d\n", n, k);
    fseek(f, 5, SEEK_SET);
    printf("%ld ", ftell(f));
    printf("%c %s\n", fgetc(f), word);
    fseek(f, 0, SEEK_END);
    printf("%ld ", ftell(f));
    printf("%d ", fgetc(f));
    printf("%d\n", feof(f) != 0);
    fclose(f);
    atexit(first);
    atexit(second);
    exit(3);
}
