// EXPECT: true
// TWIN: false(assertion)
// Heap sort of up to six elements: afterwards they are in order. The twin looks at one child only.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
#define MOST 6
static void sift(int *a, int root, int n)
{
    int value = a[root];
    while (2 * root + 1 < n) {
        int child = 2 * root + 1;
#ifdef TWIN
        if (child + 2 < n && a[child + 1] > a[child])
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
    int a[MOST], n = __VERIFIER_nondet_int();
    if (n < 0 || n > MOST)
        return 0;
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    sort(a, n);
    for (int i = 0; i + 1 < n; i++)
        assert(a[i] <= a[i + 1]);
    return 0;
}
