// EXPECT: true
// TWIN: false(assertion)
// Every cell of a filled array holds what it was filled with; the twin forgets one.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
#define N 100000
int main(void)
{
    static int a[N];
    int value = __VERIFIER_nondet_int();
    int i;
    for (i = 0; i < N; i++) {
#ifdef TWIN
        if (i == 77777 && value > 5)
            continue;
#endif
        a[i] = value;
    }
    for (i = 0; i < N; i++)
        assert(a[i] == value);
    return 0;
}
