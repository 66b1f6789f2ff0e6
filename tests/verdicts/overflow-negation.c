// EXPECT: false(overflow)
// TWIN: true
// FLAGS: --property overflow
// The smallest number has no negation, and its quotient by -1 overflows.
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int x = -0x7fffffff - 1;
    if (H(n))
#ifndef TWIN
        return x / -1;
#else
        return x / -2;
#endif
    return 0;
}
