// EXPECT: true
// TWIN: false(assertion)
// Bubble sort of any number of elements: afterwards they are in order. The twin ends one round too early.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void sort(int *a, int n)
{
#ifdef TWIN
    for (int end = n; end > 2; end--)
#else
    for (int end = n; end > 1; end--)
#endif
        for (int i = 0; i + 1 < end; i++)
            if (a[i] > a[i + 1]) {
                int t = a[i];
                a[i] = a[i + 1];
                a[i + 1] = t;
            }
}
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 100000)
        return 0;
    int *a = malloc(n * sizeof *a);
    if (!a)
        return 1;
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    sort(a, n);
    for (int i = 0; i + 1 < n; i++)
        assert(a[i] <= a[i + 1]);
    free(a);
    return 0;
}
