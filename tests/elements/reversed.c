// EXPECT: true
// TWIN: false(assertion)
// The reverse of an array has its cells at the other end; two cells are needed.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
#define N 40000
int main(void)
{
    int a[N], b[N];
    int i;
    for (i = 0; i < N; i++)
        a[i] = __VERIFIER_nondet_int();
    for (i = 0; i < N; i++)
        b[N - 1 - i] = a[i];
#ifdef TWIN
    b[20000] = b[20001];
#endif
    for (i = 0; i < N; i++)
        assert(b[N - 1 - i] == a[i]);
    return 0;
}
