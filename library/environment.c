/* What the world outside the program may do, for engines that cover every run: each result is
   any that a real machine may have (times end with the year 9999). What output functions return is in the table of known functions. No preprocessor needed. */

struct _IO_FILE;
typedef typeof(sizeof 0) size;

int __VERIFIER_nondet_int(void);
long __VERIFIER_nondet_long(void);
unsigned int __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);

int getchar(void)
{
    int c = __VERIFIER_nondet_int();
    __VERIFIER_assume(c >= -1 && c <= 255);
    return c;
}

int rand(void)
{
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0);
    return n;
}

void srand(unsigned int seed)
{
}

long random(void)
{
    long n = __VERIFIER_nondet_long();
    __VERIFIER_assume(n >= 0 && n <= 2147483647);
    return n;
}

void srandom(unsigned int seed)
{
}

long time(long *to)
{
    long now = __VERIFIER_nondet_long();
    __VERIFIER_assume(now >= 0 && now <= 253402300799);
    if (to)
        *to = now;
    return now;
}

long clock(void)
{
    long ticks = __VERIFIER_nondet_long();
    __VERIFIER_assume(ticks >= -1);
    return ticks;
}

unsigned int sleep(unsigned int seconds)
{
    unsigned int left = __VERIFIER_nondet_uint();
    __VERIFIER_assume(left <= seconds);
    return left;
}

char *fgets(char *to, int room, struct _IO_FILE *stream)
{
    if (room < 1 || __VERIFIER_nondet_int())
        return 0;
    int length = __VERIFIER_nondet_int();
    __VERIFIER_assume(length >= 0 && length < room);
    for (int n = 0; n < length; n++)
        to[n] = __VERIFIER_nondet_int();
    to[length] = 0;
    return to;
}

long read(int file, void *to, size room)
{
    long length = __VERIFIER_nondet_long();
    __VERIFIER_assume(length >= -1 && (length < 0 || length <= room));
    for (long n = 0; n < length; n++)
        ((char *)to)[n] = __VERIFIER_nondet_int();
    return length;
}

size fread(void *to, size unit, size count, struct _IO_FILE *stream)
{
    size length = __VERIFIER_nondet_long();
    if (unit == 0)
        return 0;
    __VERIFIER_assume(length <= unit * count);
    for (size n = 0; n < length; n++)
        ((char *)to)[n] = __VERIFIER_nondet_int();
    return length / unit;
}
