// EXPECT: true
// TWIN: false(assertion)
// Copies of copies are equal, cell by cell.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
#define N 50000
int main(void)
{
    int a[N], b[N], c[N];
    int i;
    for (i = 0; i < N; i++)
        a[i] = __VERIFIER_nondet_int();
    for (i = 0; i < N; i++)
        b[i] = a[i];
    for (i = 0; i < N; i++)
#ifdef TWIN
        c[i] = b[i] < 1000 ? b[i] : 1000;
#else
        c[i] = b[i];
#endif
    for (i = 0; i < N; i++)
        assert(a[i] == c[i]);
    return 0;
}
