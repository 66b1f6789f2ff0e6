// EXPECT: false
// TWIN: true
// The array of a block of an earlier turn is gone.
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int *kept = 0;
    while (__VERIFIER_nondet_int()) {
        int size = __VERIFIER_nondet_int();
        if (size < 1 || size > 100) continue;
        int a[size];
        a[size - 1] = 1;
#ifndef TWIN
        if (kept && H(n)) *kept = 2;
#endif
        kept = &a[size - 1];
        *kept = 3;
    }
    return 0;
}
