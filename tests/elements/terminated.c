// EXPECT: true
// TWIN: false(bounds)
// Words of a text of any length are counted up to the zero at its end; the twin has no end.
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void);
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint(), words = 0, i;
    if (n > 100000)
        return 0;
    char *text = malloc(n + 1), *p;
    if (!text)
        return 0;
    for (i = 0; i < n; i++)
        text[i] = __VERIFIER_nondet_char();
#ifndef TWIN
    text[n] = 0;
#endif
    for (p = text; *p;) {
        while (*p == ' ')
            p++;
        if (*p)
            words++;
        while (*p && *p != ' ')
            p++;
    }
    free(text);
    return words > n;
}
