// EXPECT: true
// TWIN: false(bounds)
// Scans a JSON text of any length: strings with escapes, numbers, nesting up to 32. The twin skips what follows a backslash
// without looking.
#include <assert.h>
#include <stdlib.h>
extern char __VERIFIER_nondet_char(void);
extern unsigned __VERIFIER_nondet_uint(void);
#define DEEP 32
static const char *space(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\n')
        p++;
    return p;
}
static const char *string(const char *p)
{
    for (p++; *p && *p != '"'; p++)
        if (*p == '\\') {
            p++;
#ifndef TWIN
            if (!*p)
                return NULL;
#endif
        }
    return *p ? p + 1 : NULL;
}
static const char *number(const char *p)
{
    if (*p == '-')
        p++;
    if (*p < '0' || *p > '9')
        return NULL;
    while (*p >= '0' && *p <= '9')
        p++;
    return p;
}
static int scan(const char *p)
{
    char open[DEEP];
    int depth = 0;
    for (;;) {
        p = space(p);
        if (*p == '[' || *p == '{') {
            if (depth == DEEP)
                return 0;
            open[depth++] = *p++;
            continue;
        }
        if (*p == ']' || *p == '}') {
            if (depth == 0 || open[depth - 1] != (*p == ']' ? '[' : '{'))
                return 0;
            depth--;
            p++;
        } else if (*p == '"')
            p = string(p);
        else if (*p == ',' || *p == ':')
            p++;
        else if (*p == 0)
            return depth == 0;
        else
            p = number(p);
        if (!p)
            return 0;
        assert(depth >= 0 && depth <= DEEP);
    }
}
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint(), i;
    if (n > 100000)
        return 0;
    char *text = malloc(n + 1);
    if (!text)
        return 1;
    for (i = 0; i < n; i++)
        text[i] = __VERIFIER_nondet_char();
    text[n] = 0;
    scan(text);
    free(text);
    return 0;
}
