/* Absolute paths: where the process is, and where a file is. */

typedef typeof(sizeof 0) size;
enum { MOST = 4096 };

int __VERIFIER_nondet_int(void);
size __VERIFIER_nondet_ulong(void);
void __VERIFIER_assume(int);
void __VERIFIER_nondet_memory(void *, size);
void *malloc(size);
int *__errno_location(void);

static char *failed(void)
{
    int error = __VERIFIER_nondet_int();
    __VERIFIER_assume(error > 0 && error <= 133);
    *__errno_location() = error;
    return 0;
}

/* So much room, or as much as is needed if that is zero; in new memory if there is none. */
static char *path(char *to, size room)
{
    size length = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(length > 0 && length < MOST && (room == 0 || length < room));
    if (!to) {
        to = malloc(room ? room : length + 1);
        if (!to)
            return failed();
    }
    __VERIFIER_nondet_memory(to, length);
    to[0] = '/';
    to[length] = 0;
    return to;
}

char *getcwd(char *to, size room)
{
    if (__VERIFIER_nondet_int() || (to ? room < 2 : room == 1))
        return failed();
    return path(to, room);
}

char *realpath(const char *name, char *to)
{
    if (__VERIFIER_nondet_int())
        return failed();
    return path(to, to ? MOST : 0);
}
