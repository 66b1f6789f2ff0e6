// EXPECT: true
// TWIN: false(bounds)
// Splits a line of any length into at most 64 fields, in place, with quotes; each field starts within the line. The twin runs
// over the end of a line that ends inside of quotes.
#include <assert.h>
#include <stdlib.h>
extern char __VERIFIER_nondet_char(void);
extern unsigned __VERIFIER_nondet_uint(void);
#define FIELDS 64
static int split(char *line, unsigned field[])
{
    int count = 0;
    char *p = line;
    for (;;) {
        if (count == FIELDS)
            return -1;
        if (*p == '"') {
            field[count++] = ++p - line;
#ifdef TWIN
            while (*p != '"')
#else
            while (*p && *p != '"')
#endif
                p++;
            if (*p)
                *p++ = 0;
        } else
            field[count++] = p - line;
        while (*p && *p != ',')
            p++;
        if (!*p)
            return count;
        *p++ = 0;
    }
}
int main(void)
{
    unsigned field[FIELDS];
    unsigned n = __VERIFIER_nondet_uint(), i;
    if (n > 100000)
        return 0;
    char *line = malloc(n + 1);
    if (!line)
        return 1;
    for (i = 0; i < n; i++)
        line[i] = __VERIFIER_nondet_char();
    line[n] = 0;
    int count = split(line, field);
    assert(count >= -1 && count <= FIELDS);
    for (int k = 0; k < count; k++)
        assert(field[k] <= n);
    free(line);
    return 0;
}
