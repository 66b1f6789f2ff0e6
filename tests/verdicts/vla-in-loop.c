// EXPECT: false(pointer)
// TWIN: true
// Each round has its own variable length array.
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int *p = 0, sum = 0;
    for (unsigned i = 1; i < 4; i++) {
        int a[i];
        a[0] = i;
        if (i == 1)
            p = a;
        if (i == 3 && H(n))
#ifndef TWIN
            sum = *p;
#else
            sum = a[0];
#endif
    }
    return sum;
}
