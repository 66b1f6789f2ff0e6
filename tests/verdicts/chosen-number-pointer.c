// EXPECT: false(assertion)
// TWIN: true
// A number that is made a pointer may be the address of a variable.
#include <assert.h>
extern unsigned long __VERIFIER_nondet_ulong(void);
static int x = 1;
int main(void) {
    int *p = (int *)__VERIFIER_nondet_ulong();
    if (p == &x)
#ifndef TWIN
        *p = 2;
#else
        *p = 1;
#endif
    assert(x == 1);
    return 0;
}
