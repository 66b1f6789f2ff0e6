/* Numbers of the process, which stay the same until the program changes them. */

int __VERIFIER_nondet_int(void);
long __VERIFIER_nondet_long(void);
unsigned int __VERIFIER_nondet_uint(void);
unsigned long __VERIFIER_nondet_ulong(void);
void __VERIFIER_assume(int);
int *__errno_location(void);

/* One question, and its answer as soon as somebody asked. */
struct answer {
    int known;
    unsigned int value;
};
static struct answer own, parent, page, user, effective_user, group, effective_group;

static int number(struct answer *to, int low, int high)
{
    if (!to->known) {
        int n = __VERIFIER_nondet_int();
        __VERIFIER_assume(n >= low && n <= high);
        to->value = n;
        to->known = 1;
    }
    return to->value;
}

static unsigned int identity(struct answer *to)
{
    if (!to->known) {
        to->value = __VERIFIER_nondet_uint();
        to->known = 1;
    }
    return to->value;
}

int getpid(void)
{
    return number(&own, 1, 4194304);
}

/* The parent may end, and another process take its place. */
int getppid(void)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0 && n <= 4194304);
    return n;
}

int getpagesize(void)
{
    int size = number(&page, 4096, 65536);
    __VERIFIER_assume((size & (size - 1)) == 0);
    return size;
}

unsigned int getuid(void)
{
    return identity(&user);
}

unsigned int geteuid(void)
{
    return identity(&effective_user);
}

unsigned int getgid(void)
{
    return identity(&group);
}

unsigned int getegid(void)
{
    return identity(&effective_group);
}

static int failed(void)
{
    int error = __VERIFIER_nondet_int();
    __VERIFIER_assume(error > 0 && error <= 133);
    *__errno_location() = error;
    return -1;
}

static int changed(void)
{
    if (__VERIFIER_nondet_int())
        return failed();
    user.known = effective_user.known = group.known = effective_group.known = 0;
    return 0;
}

int setuid(unsigned int id)
{
    if (changed())
        return -1;
    effective_user = (struct answer){1, id};
    return 0;
}

int seteuid(unsigned int id)
{
    return setuid(id);
}

int setgid(unsigned int id)
{
    if (changed())
        return -1;
    effective_group = (struct answer){1, id};
    return 0;
}

int setegid(unsigned int id)
{
    return setgid(id);
}

int setreuid(unsigned int real, unsigned int effective)
{
    return changed();
}

int setregid(unsigned int real, unsigned int effective)
{
    return changed();
}

int setresuid(unsigned int real, unsigned int effective, unsigned int saved)
{
    return changed();
}

int setresgid(unsigned int real, unsigned int effective, unsigned int saved)
{
    return changed();
}

long sysconf(int name)
{
    enum { CLK_TCK = 2, OPEN_MAX = 4, PAGESIZE = 30, PROCESSORS = 83, PROCESSORS_ONLINE = 84 };
    if (name == PAGESIZE)
        return getpagesize();
    if (name == CLK_TCK)
        return 100;
    long value = __VERIFIER_nondet_long();
    int counts = name == OPEN_MAX || name == PROCESSORS || name == PROCESSORS_ONLINE;
    __VERIFIER_assume(value >= (counts ? 1 : -1));
    /* No limit is no error, a name that nobody knows is one. */
    return value < 0 && __VERIFIER_nondet_int() ? failed() : value;
}

struct rlimit {
    unsigned long rlim_cur, rlim_max;
};

int getrlimit(int what, struct rlimit *to)
{
    if (__VERIFIER_nondet_int())
        return failed();
    unsigned long most = __VERIFIER_nondet_ulong(), now = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(now <= most);
    to->rlim_cur = now;
    to->rlim_max = most;
    return 0;
}
