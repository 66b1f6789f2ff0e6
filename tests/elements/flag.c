// EXPECT: true
// TWIN: false(assertion)
// A flag says whether all cells agree with another array; it is looked at after the loop.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
#define N 60000
int main(void)
{
    int a[N], b[N];
    int i, fine = 1;
    for (i = 0; i < N; i++)
        a[i] = __VERIFIER_nondet_int();
    for (i = 0; i < N; i++)
#ifdef TWIN
        b[i] = a[i] > 0;
#else
        b[i] = a[i] >= 0;
#endif
    for (i = 0; i < N; i++) {
        if (a[i] >= 0 && !b[i])
            fine = 0;
        if (a[i] < 0 && b[i])
            fine = 0;
    }
    assert(fine);
    return 0;
}
