/* Which descriptors are ready: of those that were asked about, and for what. */

typedef unsigned long word;
enum { BITS = 8 * sizeof(word), WORDS = 1024 / BITS };

struct pollfd {
    int fd;
    short events, revents;
};
struct timeval;
struct timespec;
typedef struct { word bits[WORDS]; } set;
typedef struct { word bits[WORDS]; } signals;

int __VERIFIER_nondet_int(void);
short __VERIFIER_nondet_short(void);
word __VERIFIER_nondet_ulong(void);
void __VERIFIER_assume(int);
void __VERIFIER_nondet_memory(void *, typeof(sizeof 0));
int *__errno_location(void);

static int failed(void)
{
    int error = __VERIFIER_nondet_int();
    __VERIFIER_assume(error > 0 && error <= 133);
    *__errno_location() = error;
    return -1;
}

/* Errors, a closed other end and closed descriptors are told without being asked for. */
int poll(struct pollfd *list, word count, int timeout)
{
    enum { UNASKED = 8 | 16 | 32 };
    if (__VERIFIER_nondet_int())
        return failed();
    int ready = 0;
    for (word n = 0; n < count; n++) {
        short found = __VERIFIER_nondet_short() & (list[n].events | UNASKED);
        if (list[n].fd < 0)
            found = 0;
        list[n].revents = found;
        ready += found != 0;
    }
    __VERIFIER_assume(ready > 0 || timeout >= 0);
    return ready;
}

int ppoll(struct pollfd *list, word count, const struct timespec *timeout, const signals *mask)
{
    return poll(list, count, timeout ? 0 : -1);
}

/* Leaves those of a set that are ready; how many there are. */
static int kept(set *asked, int limit)
{
    if (!asked)
        return 0;
    int ready = 0;
    for (int n = 0; n < WORDS && n * BITS < limit; n++) {
        word found = asked->bits[n] & __VERIFIER_nondet_ulong();
        if (limit - n * BITS < BITS)
            found &= ((word)1 << (limit - n * BITS)) - 1;
        asked->bits[n] = found;
        ready += __builtin_popcountl(found);
    }
    return ready;
}

static int selected(int limit, set *readable, set *writable, set *special, int forever)
{
    if (limit < 0 || __VERIFIER_nondet_int())
        return failed();
    int ready = kept(readable, limit);
    ready += kept(writable, limit);
    ready += kept(special, limit);
    __VERIFIER_assume(ready > 0 || !forever);
    return ready;
}

/* Linux writes back how much time was left. */
int select(int limit, set *readable, set *writable, set *special, struct timeval *timeout)
{
    int ready = selected(limit, readable, writable, special, !timeout);
    if (timeout) {
        long *left = (long *)timeout;
        long seconds = left[0];
        __VERIFIER_nondet_memory(timeout, 2 * sizeof(long));
        __VERIFIER_assume(left[0] >= 0 && left[0] <= (seconds < 0 ? 0 : seconds) && left[1] >= 0 && left[1] < 1000000);
    }
    return ready;
}

int pselect(int limit, set *readable, set *writable, set *special, const struct timespec *timeout, const signals *mask)
{
    return selected(limit, readable, writable, special, !timeout);
}
