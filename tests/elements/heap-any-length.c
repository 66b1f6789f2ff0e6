// EXPECT: true
// TWIN: false(assertion)
// An allocated array of any length; the twin stops one early.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 100000)
        return 0;
    int *a = malloc(n * sizeof(int));
    int i;
    if (!a)
        return 0;
    for (i = 0; i < n; i++)
        a[i] = 7;
#ifdef TWIN
    a[n / 2] = 8;
#endif
    for (i = 0; i < n; i++)
        assert(a[i] == 7);
    free(a);
    return 0;
}
