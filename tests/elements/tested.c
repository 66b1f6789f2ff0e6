// EXPECT: true
// TWIN: false(assertion)
// Only what passed a test is written, in any order; the twin lets one more through.
#include <assert.h>
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    if (n == 0 || n > 100000)
        return 0;
    int *a = calloc(n, sizeof *a), value = 0;
    if (!a)
        return 0;
    while (__VERIFIER_nondet_int()) {
        unsigned at = __VERIFIER_nondet_uint();
        if (at >= n)
            continue;
        value = __VERIFIER_nondet_int();
#ifdef TWIN
        if (value >= -1)
#else
        if (value >= 0)
#endif
            a[at] = value;
        else
            value = a[at];
        assert(value >= 0 || a[at] == value);
        assert(a[at] >= 0);
    }
    free(a);
    return 0;
}
