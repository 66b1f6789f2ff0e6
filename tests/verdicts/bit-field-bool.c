// EXPECT: false(unreach-call)
// TWIN: true
// A truth value in a bit-field takes one bit: its neighbour in the same byte keeps its value.
#include "h.h"
struct flags { _Bool a : 1, b : 1; };
int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), k = __VERIFIER_nondet_uint() & 7;
    struct flags f = {0, 0};
    if (H(n)) {
        f.b = k << 4;
        f.a |= k & 4;
#ifndef TWIN
        if (f.b && f.a)
#else
        if (f.b != (k != 0) || f.a != (k >= 4))
#endif
            reach_error();
    }
    return 0;
}
