/* Two descriptors at once, and those of streams. */

struct _IO_FILE;
extern struct _IO_FILE *stdin, *stdout, *stderr;

int __VERIFIER_nondet_int(void);
long __VERIFIER_nondet_long(void);
long long __VERIFIER_nondet_longlong(void);
void __VERIFIER_assume(int);
int *__errno_location(void);
int dup(int descriptor);

static int failed(void)
{
    int error = __VERIFIER_nondet_int();
    __VERIFIER_assume(error > 0 && error <= 133);
    *__errno_location() = error;
    return -1;
}

static int both(int *to)
{
    if (__VERIFIER_nondet_int())
        return failed();
    int one = dup(0), other = dup(0);
    __VERIFIER_assume(one >= 0 && other >= 0);
    to[0] = one;
    to[1] = other;
    return 0;
}

int pipe(int *to)
{
    return both(to);
}

int pipe2(int *to, int flags)
{
    return both(to);
}

int socketpair(int domain, int kind, int protocol, int *to)
{
    return both(to);
}

int fileno(struct _IO_FILE *stream)
{
    if (stream == stdin)
        return 0;
    if (stream == stdout)
        return 1;
    if (stream == stderr)
        return 2;
    int descriptor = __VERIFIER_nondet_int();
    __VERIFIER_assume(descriptor >= -1 && descriptor < 1048576);
    return descriptor < 0 ? failed() : descriptor;
}

/* From the start of a file (SEEK_SET), one comes to where one wants to be. */
long lseek(int descriptor, long offset, int from)
{
    if (__VERIFIER_nondet_int())
        return failed();
    long place = __VERIFIER_nondet_long();
    __VERIFIER_assume(place >= 0 && (from != 0 || place == offset));
    return place;
}

long long lseek64(int descriptor, long long offset, int from)
{
    if (__VERIFIER_nondet_int())
        return failed();
    long long place = __VERIFIER_nondet_longlong();
    __VERIFIER_assume(place >= 0 && (from != 0 || place == offset));
    return place;
}
