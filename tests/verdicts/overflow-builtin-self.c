// EXPECT: false(unreach-call)
// TWIN: true
// Whether it overflows is asked of the operands, not of what the result has overwritten.
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), k = __VERIFIER_nondet_uint() & 7, a = 4294967290u;
    if (H(n)) {
        _Bool over = __builtin_add_overflow(a, k, &a);
#ifndef TWIN
        if (over)
#else
        if (over != (k > 5))
#endif
            reach_error();
    }
    return 0;
}
