/* The parts of <stdlib.h> that need no help from the system, for the target's own widths.
   No preprocessor needed. `malloc` and `abort` belong to the engines; the builtin `__cwolf_halt`
   ends the program. */

typedef typeof(sizeof 0) size;

void *malloc(size n);

int abs(int n)
{
    return n < 0 ? -n : n;
}

long labs(long n)
{
    return n < 0 ? -n : n;
}

long long llabs(long long n)
{
    return n < 0 ? -n : n;
}

typedef struct {
    int quot, rem;
} div_t;

typedef struct {
    long quot, rem;
} ldiv_t;

typedef struct {
    long long quot, rem;
} lldiv_t;

div_t div(int n, int d)
{
    return (div_t){n / d, n % d};
}

ldiv_t ldiv(long n, long d)
{
    return (ldiv_t){n / d, n % d};
}

lldiv_t lldiv(long long n, long long d)
{
    return (lldiv_t){n / d, n % d};
}

int *__errno_location(void)
{
    static int value;
    return &value;
}

enum { ERANGE = 34, EINVAL = 22 };

static int __cwolf_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'Z')
        return c - 'A' + 10;
    return 99;
}

/* What all of strtol's family share: reads a number, notes its sign and whether it passed
   `limit`, and where it ends. `binary`: as C23 wants it, which also reads `0b`. */
static unsigned long long __cwolf_read(const char *s, char **end, int base, unsigned long long limit,
                               int *negative, int *overflow, int binary)
{
    const char *p = s;
    *negative = 0;
    *overflow = 0;
    if (base < 0 || base == 1 || base > 36) {
        *__errno_location() = EINVAL;
        return 0;
    }
    if (end != 0)
        *end = (char *)s;
    while (*p == ' ' || (*p >= '\t' && *p <= '\r'))
        p++;
    if (*p == '+' || *p == '-')
        *negative = *p++ == '-';
    if ((base == 0 || base == 16) && p[0] == '0' && (p[1] == 'x' || p[1] == 'X') &&
        __cwolf_digit(p[2]) < 16) {
        p += 2;
        base = 16;
    }
    if (binary && (base == 0 || base == 2) && p[0] == '0' && (p[1] == 'b' || p[1] == 'B') &&
        __cwolf_digit(p[2]) < 2) {
        p += 2;
        base = 2;
    }
    if (base == 0)
        base = *p == '0' ? 8 : 10;
    unsigned long long number = 0;
    int any = 0;
    while (__cwolf_digit(*p) < base) {
        unsigned d = __cwolf_digit(*p++);
        any = 1;
        if (number > (limit - d) / base)
            *overflow = 1;
        else
            number = number * base + d;
    }
    if (any && end != 0)
        *end = (char *)p;
    return number;
}

static unsigned long long __cwolf_read_unsigned(const char *s, char **end, int base,
                                        unsigned long long max, int binary)
{
    int negative, overflow;
    unsigned long long number = __cwolf_read(s, end, base, max, &negative, &overflow, binary);
    if (overflow) {
        *__errno_location() = ERANGE;
        return max;
    }
    return negative ? -number : number;
}

static long long __cwolf_read_signed(const char *s, char **end, int base, unsigned long long max,
                                     int binary)
{
    int negative, overflow;
    /* The smallest number is one further from zero than the largest. */
    unsigned long long number = __cwolf_read(s, end, base, max + 1, &negative, &overflow, binary);
    if (overflow || (number > max && !negative)) {
        *__errno_location() = ERANGE;
        return negative ? -(long long)max - 1 : (long long)max;
    }
    return (long long)(negative ? -number : number);
}

long strtol(const char *restrict s, char **restrict end, int base)
{
    return __cwolf_read_signed(s, end, base, -1ul >> 1, 0);
}

long long strtoll(const char *restrict s, char **restrict end, int base)
{
    return __cwolf_read_signed(s, end, base, -1ull >> 1, 0);
}

unsigned long strtoul(const char *restrict s, char **restrict end, int base)
{
    return __cwolf_read_unsigned(s, end, base, -1ul, 0);
}

unsigned long long strtoull(const char *restrict s, char **restrict end, int base)
{
    return __cwolf_read_unsigned(s, end, base, -1ull, 0);
}

/* What newer headers of glibc call instead. */
long __isoc23_strtol(const char *restrict s, char **restrict end, int base)
{
    return __cwolf_read_signed(s, end, base, -1ul >> 1, 1);
}

long long __isoc23_strtoll(const char *restrict s, char **restrict end, int base)
{
    return __cwolf_read_signed(s, end, base, -1ull >> 1, 1);
}

unsigned long __isoc23_strtoul(const char *restrict s, char **restrict end, int base)
{
    return __cwolf_read_unsigned(s, end, base, -1ul, 1);
}

unsigned long long __isoc23_strtoull(const char *restrict s, char **restrict end, int base)
{
    return __cwolf_read_unsigned(s, end, base, -1ull, 1);
}

int atoi(const char *s)
{
    return (int)strtol(s, 0, 10);
}

long atol(const char *s)
{
    return strtol(s, 0, 10);
}

long long atoll(const char *s)
{
    return strtoll(s, 0, 10);
}

void *bsearch(const void *key, const void *array, size count, size width,
              int (*compare)(const void *, const void *))
{
    size low = 0, high = count;
    while (low < high) {
        size middle = low + (high - low) / 2;
        const char *item = (const char *)array + middle * width;
        int order = compare(key, item);
        if (order == 0)
            return (void *)item;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return 0;
}

static void __cwolf_swap(char *a, char *b, size width)
{
    for (size i = 0; i < width; i++) {
        char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

/* Insertion sort: short, and equal items keep their order, as with glibc. */
void qsort(void *array, size count, size width, int (*compare)(const void *, const void *))
{
    char *items = array;
    for (size i = 1; i < count; i++)
        for (size j = i; j > 0 && compare(items + (j - 1) * width, items + j * width) > 0; j--)
            __cwolf_swap(items + (j - 1) * width, items + j * width, width);
}

/* glibc's additive generator, number for number: x[n] = x[n-3] + x[n-31]. */
static int __cwolf_random_state[31];
static int __cwolf_random_front, __cwolf_random_rear, __cwolf_random_ready;

long random(void);

void srandom(unsigned seed)
{
    __cwolf_random_ready = 1;
    __cwolf_random_state[0] = seed == 0 ? 1 : (int)seed;
    for (int i = 1; i < 31; i++) {
        long long next = 16807ll * __cwolf_random_state[i - 1] % 2147483647;
        __cwolf_random_state[i] = (int)(next < 0 ? next + 2147483647 : next);
    }
    __cwolf_random_front = 3;
    __cwolf_random_rear = 0;
    for (int i = 0; i < 310; i++)
        random();
}

long random(void)
{
    if (!__cwolf_random_ready)
        srandom(1);
    unsigned sum = (unsigned)__cwolf_random_state[__cwolf_random_front] + (unsigned)__cwolf_random_state[__cwolf_random_rear];
    __cwolf_random_state[__cwolf_random_front] = (int)sum;
    __cwolf_random_front = (__cwolf_random_front + 1) % 31;
    __cwolf_random_rear = (__cwolf_random_rear + 1) % 31;
    return sum >> 1;
}

void srand(unsigned seed)
{
    srandom(seed);
}

int rand(void)
{
    return (int)random();
}

int rand_r(unsigned *seed)
{
    unsigned next = *seed;
    next = next * 1103515245u + 12345u;
    unsigned result = next / 65536u % 2048u;
    next = next * 1103515245u + 12345u;
    result = result << 10 ^ next / 65536u % 1024u;
    next = next * 1103515245u + 12345u;
    result = result << 10 ^ next / 65536u % 1024u;
    *seed = next;
    return (int)result;
}

void *calloc(size count, size width)
{
    size bytes = count * width;
    if (width != 0 && bytes / width != count)
        return 0;
    char *memory = malloc(bytes);
    if (memory == 0)
        return 0;
    for (size i = 0; i < bytes; i++)
        memory[i] = 0;
    return memory;
}
