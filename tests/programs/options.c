// EXPECT: true
// TWIN: false(assertion) or false(bounds)
// A parser of options like getopt: up to eight words of up to fifteen characters. The twin takes an argument that is not there.
#include <assert.h>
#include <stddef.h>
extern char __VERIFIER_nondet_char(void);
extern unsigned __VERIFIER_nondet_uint(void);
#define WORDS 8
#define LENGTH 16
static int next = 1, inside;
static const char *argument;
/* The next option, '?' for an unknown one, ':' for a missing argument, -1 at the end. */
static int option(int count, char words[][LENGTH], const char *known)
{
    if (inside == 0) {
        if (next >= count || words[next][0] != '-' || words[next][1] == 0)
            return -1;
        if (words[next][1] == '-' && words[next][2] == 0) {
            next++;
            return -1;
        }
        inside = 1;
    }
    int c = words[next][inside++];
    int last = words[next][inside] == 0;
    const char *k;
    for (k = known; *k && (*k != c || c == ':'); k++)
        ;
    argument = NULL;
    if (*k && k[1] == ':') {
        if (!last)
            argument = &words[next][inside];
        next++;
#ifdef TWIN
        if (last)
#else
        if (last && next >= count)
            c = ':';
        else if (last)
#endif
            argument = words[next++];
        inside = 0;
    } else if (last) {
        next++;
        inside = 0;
    }
    return *k ? c : '?';
}
int main(void)
{
    static char words[WORDS][LENGTH];
    int count = __VERIFIER_nondet_uint() % (WORDS + 1), c;
    for (int i = 0; i < count; i++) {
        int n = __VERIFIER_nondet_uint() % LENGTH;
        for (int j = 0; j < n; j++)
            words[i][j] = __VERIFIER_nondet_char();
    }
    unsigned verbose = 0, sum = 0;
    while ((c = option(count, words, "vqo:n:")) != -1) {
        if (c == 'v')
            verbose++;
        if (c == 'o' || c == 'n')
            assert(argument != NULL);
        if (argument)
            for (const char *p = argument; *p; p++)
                sum += *p;
    }
    assert(next <= count || count == 0);
    return 0;
}
