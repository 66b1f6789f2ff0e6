/* Lines of any length in memory of their own. */

typedef typeof(sizeof 0) size;
struct _IO_FILE;

int __VERIFIER_nondet_int(void);
unsigned char __VERIFIER_nondet_uchar(void);
size __VERIFIER_nondet_ulong(void);
void __VERIFIER_assume(int);
void __VERIFIER_nondet_memory(void *, size);
void *realloc(void *, size);
int *__errno_location(void);

/* The end of the input is no error, what else goes wrong is one. `LOOKS_AT_ERRNO` is 0 in a program that never asks. */
static long ended(void)
{
    if (LOOKS_AT_ERRNO && __VERIFIER_nondet_int()) {
        int error = __VERIFIER_nondet_int();
        __VERIFIER_assume(error > 0 && error <= 133);
        *__errno_location() = error;
    }
    return -1;
}

static char other(int end)
{
    char c = __VERIFIER_nondet_int();
    __VERIFIER_assume(c != (char)end);
    return c;
}

long getdelim(char **line, size *room, int end, struct _IO_FILE *stream)
{
    int nothing = __VERIFIER_nondet_int();
    /* Any length, and short ones where values are guessed. Room is made for twice as much, and a little to start with. */
    size length = __VERIFIER_nondet_uchar();
    if (__VERIFIER_nondet_int() == 0)
        length = __VERIFIER_nondet_ulong() >> 2;
    length++;
    size spare = __VERIFIER_nondet_ulong();
    __VERIFIER_assume(spare <= length + 120);
    size more = length + 1 + spare;
    /* A buffer may be made before it turns out that there is no line. */
    if (!*line || *room <= length) {
        if (nothing && __VERIFIER_nondet_int())
            return ended();
        char *larger = realloc(*line, more);
        if (!larger) {
            *__errno_location() = 12;
            return -1;
        }
        *line = larger;
        *room = more;
    }
    if (nothing)
        return ended();
    __VERIFIER_nondet_memory(*line, length);
    (*line)[length] = 0;
    /* The line ends where `end` comes first. That is said of the characters that programs look at, without a loop. */
    if (length > 1) {
        (*line)[0] = other(end);
        (*line)[length - 2] = other(end);
    }
    if (length > 2)
        (*line)[1] = other(end);
    if (length > 3)
        (*line)[2] = other(end);
    return length;
}

long __getdelim(char **line, size *room, int end, struct _IO_FILE *stream)
{
    return getdelim(line, room, end, stream);
}

long getline(char **line, size *room, struct _IO_FILE *stream)
{
    return getdelim(line, room, '\n', stream);
}
