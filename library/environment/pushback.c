/* Characters of a stream, one by one, in a program that puts some back: `ungetc` gives what the next call reads. */

struct _IO_FILE;
extern struct _IO_FILE *stdin;

int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
int *__errno_location(void);

/* What was put back last, and where, newest at the end. More than that is forgotten: then a stream may give anything. */
enum { MOST = 4 };
static struct {
    struct _IO_FILE *stream;
    int c;
} back[MOST];
static int count, forgotten;

int ungetc(int c, struct _IO_FILE *stream)
{
    if (c == -1)
        return -1;
    c = (unsigned char)c;
    if (count == MOST) {
        /* The system need not take so many. */
        if (__VERIFIER_nondet_int())
            return -1;
        forgotten = 1;
        return c;
    }
    /* One is always taken. */
    for (int n = 0; n < count; n++)
        if (back[n].stream == stream && __VERIFIER_nondet_int())
            return -1;
    back[count].stream = stream;
    back[count].c = c;
    count++;
    return c;
}

int fgetc(struct _IO_FILE *stream)
{
    for (int n = count - 1; n >= 0 && !forgotten; n--) {
        if (back[n].stream != stream)
            continue;
        int c = back[n].c;
        for (count--; n < count; n++)
            back[n] = back[n + 1];
        return c;
    }
    int c = __VERIFIER_nondet_int();
    __VERIFIER_assume(c >= -1 && c <= 255);
    /* The end of the input is no error. `LOOKS_AT_ERRNO` is 0 in a program that never asks. */
    if (LOOKS_AT_ERRNO && c < 0 && __VERIFIER_nondet_int()) {
        int error = __VERIFIER_nondet_int();
        __VERIFIER_assume(error > 0 && error <= 133);
        *__errno_location() = error;
    }
    return c;
}

int getc(struct _IO_FILE *stream)
{
    return fgetc(stream);
}

int _IO_getc(struct _IO_FILE *stream)
{
    return fgetc(stream);
}

int getc_unlocked(struct _IO_FILE *stream)
{
    return fgetc(stream);
}

int fgetc_unlocked(struct _IO_FILE *stream)
{
    return fgetc(stream);
}

int getchar(void)
{
    return fgetc(stdin);
}

int getchar_unlocked(void)
{
    return fgetc(stdin);
}
