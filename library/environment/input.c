/* Input that comes in pieces. Like all files of this folder it says what the world outside the program may do, for
   engines that cover every run: each result is any that a real machine may have. What other functions bring in is in the
   table of known functions. No preprocessor needed. */

struct _IO_FILE;
typedef typeof(sizeof 0) size;

int __VERIFIER_nondet_int(void);
long __VERIFIER_nondet_long(void);
unsigned int __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);
void __VERIFIER_nondet_memory(void *, size);
int *__errno_location(void);

/* A call that failed says why. `LOOKS_AT_ERRNO` is 0 in a program that never asks. */
static void failed(void)
{
    if (!LOOKS_AT_ERRNO)
        return;
    int error = __VERIFIER_nondet_int();
    __VERIFIER_assume(error > 0 && error <= 133);
    *__errno_location() = error;
}

/* The end of a file is no failure. */
static void ended(void)
{
    if (LOOKS_AT_ERRNO && __VERIFIER_nondet_int())
        failed();
}

/* A line ends with its first newline, unless there is no more room or the file ends before. Where there is room for
   nothing, nothing is read. */
char *fgets(char *to, int room, struct _IO_FILE *stream)
{
    if (room < 1)
        return 0;
    if (room > 1 && __VERIFIER_nondet_int()) {
        ended();
        return 0;
    }
    int length = __VERIFIER_nondet_int();
    __VERIFIER_assume(length >= (room > 1) && length < room);
    for (int n = 0; n < length; n++) {
        to[n] = __VERIFIER_nondet_int();
        __VERIFIER_assume(to[n] != '\n' || n == length - 1);
    }
    to[length] = 0;
    return to;
}

long read(int file, void *to, size room)
{
    long length = __VERIFIER_nondet_long();
    __VERIFIER_assume(length >= -1 && (length < 0 || length <= room));
    for (long n = 0; n < length; n++)
        ((char *)to)[n] = __VERIFIER_nondet_int();
    if (length < 0)
        failed();
    return length;
}

/* Pieces of memory that one call reads or writes. */
struct iovec {
    void *iov_base;
    size iov_len;
};

struct msghdr {
    void *msg_name;
    unsigned int msg_namelen;
    struct iovec *msg_iov;
    size msg_iovlen;
    void *msg_control;
    size msg_controllen;
    int msg_flags;
};

/* Touches the first and the last byte of each piece; how many bytes there are in all. */
static size readable(const struct iovec *list, size count)
{
    size all = 0;
    for (size n = 0; n < count; n++) {
        size length = list[n].iov_len;
        if (length == 0)
            continue;
        const char *from = list[n].iov_base;
        char first = from[0], last = from[length - 1];
        all += length;
    }
    return all;
}

/* The same, and they may hold anything afterwards. */
static size filled(const struct iovec *list, size count)
{
    size all = 0;
    for (size n = 0; n < count; n++) {
        size length = list[n].iov_len;
        if (length == 0)
            continue;
        __VERIFIER_nondet_memory(list[n].iov_base, length);
        all += length;
    }
    return all;
}

static long transferred(size all)
{
    long length = __VERIFIER_nondet_long();
    __VERIFIER_assume(length >= -1 && (length < 0 || length <= all));
    if (length < 0)
        failed();
    return length;
}

long writev(int file, const struct iovec *list, int count)
{
    if (count < 0 || count > 1024) {
        failed();
        return -1;
    }
    return transferred(readable(list, count));
}

long readv(int file, const struct iovec *list, int count)
{
    if (count < 0 || count > 1024) {
        failed();
        return -1;
    }
    return transferred(filled(list, count));
}

long sendmsg(int file, const struct msghdr *message, int flags)
{
    struct iovec others[2] = {
        {message->msg_name, message->msg_namelen},
        {message->msg_control, message->msg_controllen},
    };
    if (message->msg_name)
        readable(others, 1);
    if (message->msg_control)
        readable(others + 1, 1);
    return transferred(readable(message->msg_iov, message->msg_iovlen));
}

long recvmsg(int file, struct msghdr *message, int flags)
{
    struct iovec others[2] = {
        {message->msg_name, message->msg_namelen},
        {message->msg_control, message->msg_controllen},
    };
    if (message->msg_name)
        filled(others, 1);
    if (message->msg_control)
        filled(others + 1, 1);
    message->msg_namelen = __VERIFIER_nondet_uint();
    size controls = __VERIFIER_nondet_long();
    __VERIFIER_assume(controls <= message->msg_controllen);
    message->msg_controllen = controls;
    message->msg_flags = __VERIFIER_nondet_int();
    return transferred(filled(message->msg_iov, message->msg_iovlen));
}

size fread(void *to, size unit, size count, struct _IO_FILE *stream)
{
    size length = __VERIFIER_nondet_long();
    if (unit == 0)
        return 0;
    __VERIFIER_assume(length <= unit * count);
    for (size n = 0; n < length; n++)
        ((char *)to)[n] = __VERIFIER_nondet_int();
    if (length < unit * count)
        ended();
    return length / unit;
}
