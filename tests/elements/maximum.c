// EXPECT: true
// TWIN: false(assertion)
// Nothing in an array is larger than its maximum; the twin skips the last cell.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
#define N 100000
int main(void)
{
    int a[N];
    int i, max;
    for (i = 0; i < N; i++)
        a[i] = __VERIFIER_nondet_int();
    max = a[0];
#ifdef TWIN
    for (i = 1; i < N - 1; i++)
#else
    for (i = 1; i < N; i++)
#endif
        if (a[i] > max)
            max = a[i];
    for (i = 0; i < N; i++)
        assert(a[i] <= max);
    return 0;
}
