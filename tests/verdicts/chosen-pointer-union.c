// EXPECT: false(assertion)
// TWIN: true
// A number that is read as a pointer may be the address of a variable.
#include <assert.h>
extern unsigned long __VERIFIER_nondet_ulong(void);
static int x = 1;
int main(void) {
    union { unsigned long n; int *p; } u;
    u.n = __VERIFIER_nondet_ulong();
    if (u.p == &x)
#ifndef TWIN
        *u.p = 2;
#else
        *u.p = 1;
#endif
    assert(x == 1);
    return 0;
}
