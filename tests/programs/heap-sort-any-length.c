// EXPECT: true
// TWIN: false(bounds)
// Heap sort of any number of elements stays inside of its array. The twin takes a child that is not there.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
static void sift(int *a, int root, int n)
{
    int value = a[root];
    while (2 * root + 1 < n) {
        int child = 2 * root + 1;
#ifdef TWIN
        if (a[child + 1] > a[child])
#else
        if (child + 1 < n && a[child + 1] > a[child])
#endif
            child++;
        if (a[child] <= value)
            break;
        a[root] = a[child];
        root = child;
    }
    a[root] = value;
}
static void sort(int *a, int n)
{
    for (int i = n / 2 - 1; i >= 0; i--)
        sift(a, i, n);
    for (int end = n - 1; end > 0; end--) {
        int t = a[0];
        a[0] = a[end];
        a[end] = t;
        sift(a, 0, end);
    }
}
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000000)
        return 0;
    int *a = malloc(n * sizeof *a);
    if (!a)
        return 1;
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    sort(a, n);
    free(a);
    return 0;
}
