// EXPECT: false(shift)
// TWIN: true
// FLAGS: --property shift
// A shift by too much behind a condition.
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (H(n))
#ifndef TWIN
        return 1u << (n & 63 ? 1 : 32);
#else
        return 1u << (n & 63 ? 1 : 31);
#endif
    return 0;
}
