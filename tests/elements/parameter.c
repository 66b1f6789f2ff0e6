// EXPECT: true
// TWIN: false(assertion)
// A function fills whatever array it is given.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
#define N 50000
static void fill(int *a, int n, int value)
{
    for (int i = 0; i < n; i++)
        a[i] = value;
}
int main(void)
{
    static int a[N], b[N];
    fill(a, N, 3);
#ifdef TWIN
    fill(a, N, 4);
#else
    fill(b, N, 4);
#endif
    for (int i = 0; i < N; i++)
        assert(a[i] == 3);
    return 0;
}
