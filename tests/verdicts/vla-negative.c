// EXPECT: false(bounds)
// TWIN: true
// An array of variable length has no negative size, also if nobody touches it.
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int size = 1;
    if (H(n))
#ifndef TWIN
        size = -1;
#else
        size = 2;
#endif
    int a[size];
    return sizeof a == 3;
}
