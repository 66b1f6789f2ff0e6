// EXPECT: false(bounds)
// TWIN: true
// An index that is wrong behind a condition.
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int a[4] = {1, 2, 3, 4};
    unsigned i = n & 3;
    if (H(n))
#ifndef TWIN
        i += 4;
#else
        i = 3 - i;
#endif
    return a[i];
}
