// EXPECT: false(division-by-zero)
// TWIN: true
// A division by zero behind a condition.
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    unsigned d = n - 235350848u;
#ifndef TWIN
    if (H(n))
#else
    if (H(n) && d)
#endif
        return 7 / d;
    return 0;
}
