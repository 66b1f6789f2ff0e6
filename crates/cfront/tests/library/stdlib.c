typedef typeof(sizeof 0) size_t;
int printf(const char *, ...);
void free(void *), *calloc(size_t, size_t);
int abs(int), atoi(const char *), rand(void), rand_r(unsigned *), atexit(void (*)(void));
long labs(long), atol(const char *), strtol(const char *, char **, int), random(void);
long long llabs(long long), atoll(const char *), strtoll(const char *, char **, int);
unsigned long strtoul(const char *, char **, int);
unsigned long long strtoull(const char *, char **, int);
void srand(unsigned), srandom(unsigned), exit(int) __attribute__((noreturn));
typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
div_t div(int, int);
ldiv_t ldiv(long, long);
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
int *__errno_location(void);
int isalpha(int), isdigit(int), isspace(int), isupper(int), islower(int), isalnum(int);
int ispunct(int), isprint(int), iscntrl(int), isxdigit(int), isgraph(int), isblank(int);
int toupper(int), tolower(int);
const unsigned short **__ctype_b_loc(void);
const int **__ctype_tolower_loc(void), **__ctype_toupper_loc(void);
int ffs(int), ffsl(long), ffsll(long long);

struct item { int key, order; };
static int by_key(const void *a, const void *b) {
    return ((const struct item *)a)->key - ((const struct item *)b)->key;
}

static void numbers(void) {
    static const char *const texts[] = {
        "12", "-9223372036854775808", "9223372036854775807", "9223372036854775808",
        "-9223372036854775809", "0x1f", "0x", "  +077z", "zz", "", "-1", "08", "0xg", "-0",
        "18446744073709551615", "18446744073709551616", "99999999999999999999", "\t\n\v\f\r 5"};
    for (int i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int base = 0; base <= 36; base += base == 0 ? 2 : base == 2 ? 6 : base == 8 ? 2 : base == 10 ? 6 : 20) {
            char *end, *end2;
            *__errno_location() = 0;
            long l = strtol(texts[i], &end, base);
            int e = *__errno_location();
            *__errno_location() = 0;
            unsigned long u = strtoul(texts[i], &end2, base);
            printf("%ld %d %d %lu %d %d\n", l, (int)(end - texts[i]), e, u, (int)(end2 - texts[i]),
                   *__errno_location());
        }
    printf("%d %ld %lld\n", atoi("-42x"), atol(" 7"), atoll("123456789012"));
}

static void characters(void) {
    unsigned sum = 0;
    for (int c = -1; c < 256; c++) {
        int bits = !!isalpha(c) | !!isdigit(c) << 1 | !!isspace(c) << 2 | !!isupper(c) << 3 |
                   !!islower(c) << 4 | !!isalnum(c) << 5 | !!ispunct(c) << 6 | !!isprint(c) << 7 |
                   !!iscntrl(c) << 8 | !!isxdigit(c) << 9 | !!isgraph(c) << 10 | !!isblank(c) << 11;
        sum = sum * 31 + bits + toupper(c) * 3 + tolower(c) * 5;
    }
    printf("%u\n", sum);
    for (int c = -128; c < 256; c++)
        sum = sum * 31 + (*__ctype_b_loc())[c] + (*__ctype_tolower_loc())[c] * 3 + (*__ctype_toupper_loc())[c] * 5;
    printf("%u\n", sum);
}

static void bye(void) { printf("bye\n"); }
static void first(void) { printf("first\n"); }

int main(void) {
    numbers();
    characters();
    for (int i = 0; i < 5; i++) printf("%d ", rand());
    srand(42);
    for (int i = 0; i < 5; i++) printf("%ld ", random());
    unsigned seed = 7;
    for (int i = 0; i < 5; i++) printf("%d ", rand_r(&seed));
    printf("\n%d %ld %lld\n", abs(-3), labs(-1L << 40), llabs(5));
    div_t d = div(-7, 2);
    ldiv_t l = ldiv(1L << 40, 7);
    printf("%d %d %ld %ld\n", d.quot, d.rem, l.quot, l.rem);
    struct item items[20];
    for (int i = 0; i < 20; i++) items[i] = (struct item){i * 7 % 5, i};
    qsort(items, 20, sizeof *items, by_key);
    for (int i = 0; i < 20; i++) printf("%d:%d ", items[i].key, items[i].order);
    struct item key = {3}, *found = bsearch(&key, items, 20, sizeof *items, by_key);
    printf("\n%d %d\n", found->key, bsearch(&(struct item){9}, items, 20, sizeof *items, by_key) == 0);
    int *zeros = calloc(3, sizeof *zeros);
    printf("%d\n", zeros[2]);
    free(zeros);
    unsigned long long bits = 0x00f0123456789ab0;
    volatile unsigned u = 0x00f01230;
    printf("%d %d %d %d\n", ffs(u), ffsl(bits), ffsll(bits), ffs(0));
    printf("%d %d %d %d %d\n", __builtin_popcount(u), __builtin_clz(u), __builtin_ctz(u), __builtin_parity(u), __builtin_ffs(u));
    printf("%d %d %d %d\n", __builtin_popcountll(bits), __builtin_clzll(bits), __builtin_ctzl(bits), __builtin_parityll(bits));
    printf("%x %x %llx\n", __builtin_bswap16(u), __builtin_bswap32(u), __builtin_bswap64(bits));
    printf("%d %d\n", __builtin_clrsb(-(int)u), __builtin_clrsbll(bits));
    atexit(first);
    atexit(bye);
    exit(9);
}
