// EXPECT: false(unreach-call)
// TWIN: true
// Each call of a main that calls itself has locals of its own.
#include "h.h"
static int depth, *outer;
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int own = depth;
    if (depth == 0) {
        outer = &own;
        depth = 1;
        main();
#ifndef TWIN
        if (own == 5)
#else
        if (own != 0 && own != 5)
#endif
            reach_error();
    } else if (H(n))
        *outer = 5;
    return 0;
}
