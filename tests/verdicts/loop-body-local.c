// EXPECT: false(pointer)
// TWIN: true
// A local of a loop body dies at the end of each round.
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int *last = 0, r = 0;
    for (int i = 0; i < 3; i++) {
        int x = i;
        if (last && H(n))
#ifndef TWIN
            r = *last;
#else
            r = x;
#endif
        last = &x;
    }
    return r;
}
