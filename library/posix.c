/* Small functions of POSIX that need no help from the system. No preprocessor needed. */

typedef typeof(sizeof 0) size;

/* Networks send the highest byte first; whether the target stores it first, the compiler of this file says. */
unsigned short htons(unsigned short n)
{
    if (HIGHEST_FIRST)
        return n;
    return (unsigned short)(n << 8 | n >> 8);
}

unsigned short ntohs(unsigned short n)
{
    return htons(n);
}

unsigned int htonl(unsigned int n)
{
    if (HIGHEST_FIRST)
        return n;
    return n << 24 | (n & 0xff00) << 8 | (n >> 8 & 0xff00) | n >> 24;
}

unsigned int ntohl(unsigned int n)
{
    return htonl(n);
}

void swab(const void *from, void *to, typeof((char *)0 - (char *)0) count)
{
    const char *a = from;
    char *b = to;
    for (; count > 1; count -= 2, a += 2, b += 2) {
        char first = a[0];
        b[0] = a[1];
        b[1] = first;
    }
}

/* Sets of signals: 1024 bits, of which 1 to 64 have a signal. */
enum { EINVAL = 22, SIGNALS = 64, BITS = 8 * sizeof(unsigned long) };
typedef struct {
    unsigned long words[1024 / BITS];
} sigset_t;

int *__errno_location(void);

static int __cwolf_is_signal(int number)
{
    if (number >= 1 && number <= SIGNALS)
        return 1;
    *__errno_location() = EINVAL;
    return 0;
}

static int __cwolf_is_users_signal(int number)
{
    return __cwolf_is_signal(number == 32 || number == 33 ? 0 : number);
}

int sigemptyset(sigset_t *set)
{
    for (unsigned n = 0; n < SIGNALS / BITS; n++)
        set->words[n] = 0;
    return 0;
}

/* The C library keeps 32 and 33 for itself. */
int sigfillset(sigset_t *set)
{
    for (unsigned n = 0; n < SIGNALS / BITS; n++)
        set->words[n] = -1ul;
    for (unsigned n = 31; n < 33; n++)
        set->words[n / BITS] &= ~(1ul << n % BITS);
    return 0;
}

int sigaddset(sigset_t *set, int number)
{
    if (!__cwolf_is_users_signal(number))
        return -1;
    set->words[(number - 1) / BITS] |= 1ul << (number - 1) % BITS;
    return 0;
}

int sigdelset(sigset_t *set, int number)
{
    if (!__cwolf_is_users_signal(number))
        return -1;
    set->words[(number - 1) / BITS] &= ~(1ul << (number - 1) % BITS);
    return 0;
}

int sigismember(const sigset_t *set, int number)
{
    if (!__cwolf_is_signal(number))
        return -1;
    return set->words[(number - 1) / BITS] >> (number - 1) % BITS & 1;
}

void *lfind(const void *key, const void *array, size *count, size width,
            int (*compare)(const void *, const void *))
{
    const char *item = array;
    for (size n = 0; n < *count; n++, item += width)
        if (compare(key, item) == 0)
            return (void *)item;
    return 0;
}

/* Queues: each element starts with pointers to the next and to the one before. */
struct link {
    struct link *next, *before;
};

void insque(void *element, void *before)
{
    struct link *new = element, *old = before;
    if (old == 0) {
        new->next = new->before = 0;
        return;
    }
    struct link *next = old->next;
    old->next = new;
    new->before = old;
    new->next = next;
    if (next)
        next->before = new;
}

void remque(void *element)
{
    struct link *old = element;
    if (old->next)
        old->next->before = old->before;
    if (old->before)
        old->before->next = old->next;
}

long long imaxabs(long long n)
{
    return n < 0 ? -n : n;
}

double difftime(long late, long early)
{
    return (double)late - (double)early;
}
