// EXPECT: false(unreach-call)
// TWIN: true
// Arguments that a function does not take are ignored; the call comes back.
#include "h.h"
static long one() { return 1; }
static long (*function)();
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (H(n)) {
        function = one;
#ifndef TWIN
        if (function(n) == 1)
#else
        if (function(n) != 1)
#endif
            reach_error();
    }
    return 0;
}
