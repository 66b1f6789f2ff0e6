/* Clocks. They show times up to the year 9999, and never go back unless the program sets them. */

struct timespec {
    long tv_sec, tv_nsec;
};

struct timeval {
    long tv_sec, tv_usec;
};

int __VERIFIER_nondet_int(void);
long __VERIFIER_nondet_long(void);
unsigned int __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);
int *__errno_location(void);

/* What a clock showed last, in its own parts of a second. Each way to ask has a resolution of its own, so they need not
   agree with each other. */
struct shown {
    long seconds, part;
};
static struct shown by_time, by_clock, by_day, wall, steady, used;

static int failed(void)
{
    int number = __VERIFIER_nondet_int();
    __VERIFIER_assume(number > 0 && number <= 133);
    *__errno_location() = number;
    return -1;
}

static void show(struct shown *last, long parts)
{
    long seconds = __VERIFIER_nondet_long(), part = __VERIFIER_nondet_long();
    __VERIFIER_assume(seconds >= last->seconds && seconds <= 253402300799);
    __VERIFIER_assume(part >= 0 && part < parts);
    __VERIFIER_assume(seconds > last->seconds || part >= last->part);
    last->seconds = seconds;
    last->part = part;
}

long time(long *to)
{
    long now = __VERIFIER_nondet_long();
    __VERIFIER_assume(now >= by_time.seconds && now <= 253402300799);
    by_time.seconds = now;
    if (to)
        *to = now;
    return now;
}

long clock(void)
{
    long ticks = __VERIFIER_nondet_long();
    __VERIFIER_assume(ticks == -1 || ticks >= by_clock.seconds);
    if (ticks >= 0)
        by_clock.seconds = ticks;
    return ticks;
}

int gettimeofday(struct timeval *to, void *zone)
{
    show(&by_day, 1000000);
    if (to) {
        to->tv_sec = by_day.seconds;
        to->tv_usec = by_day.part;
    }
    if (zone) {
        ((int *)zone)[0] = __VERIFIER_nondet_int();
        ((int *)zone)[1] = __VERIFIER_nondet_int();
    }
    return 0;
}

int clock_gettime(int clock, struct timespec *to)
{
    /* CLOCK_REALTIME and CLOCK_MONOTONIC are always there; the others keep no order here. */
    if (clock != 0 && clock != 1 && __VERIFIER_nondet_int())
        return failed();
    struct shown *last = clock == 0 ? &wall : clock == 1 ? &steady : &used;
    if (clock != 0 && clock != 1)
        used.seconds = used.part = 0;
    show(last, 1000000000);
    to->tv_sec = last->seconds;
    to->tv_nsec = last->part;
    return 0;
}

int timespec_get(struct timespec *to, int base)
{
    if (base != 1)
        return 0;
    return clock_gettime(0, to) ? 0 : base;
}

/* Whoever sets a clock may set it back. */
static int set(void)
{
    if (__VERIFIER_nondet_int())
        return failed();
    by_time.seconds = 0;
    by_day.seconds = by_day.part = 0;
    wall.seconds = wall.part = 0;
    return 0;
}

int settimeofday(const struct timeval *from, const void *zone)
{
    return set();
}

int clock_settime(int clock, const struct timespec *from)
{
    return set();
}

int stime(const long *from)
{
    return set();
}

unsigned int sleep(unsigned int seconds)
{
    unsigned int left = __VERIFIER_nondet_uint();
    __VERIFIER_assume(left <= seconds);
    return left;
}

/* A sleep that a signal ends tells how much is left, and one that nothing ends tells nothing. Both pointers may be equal. */
static void left(const struct timespec *want, struct timespec *rest)
{
    long most = want->tv_sec;
    if (!rest || !__VERIFIER_nondet_int())
        return;
    long seconds = __VERIFIER_nondet_long(), part = __VERIFIER_nondet_long();
    __VERIFIER_assume(seconds >= 0 && seconds <= most && part >= 0 && part < 1000000000);
    rest->tv_sec = seconds;
    rest->tv_nsec = part;
}

int nanosleep(const struct timespec *want, struct timespec *rest)
{
    if (!__VERIFIER_nondet_int())
        return 0;
    left(want, rest);
    return failed();
}

int clock_nanosleep(int clock, int flags, const struct timespec *want, struct timespec *rest)
{
    int error = __VERIFIER_nondet_int();
    __VERIFIER_assume(error >= 0 && error <= 133);
    /* A sleep until a point in time leaves nothing. */
    if (error && !(flags & 1))
        left(want, rest);
    return error;
}
