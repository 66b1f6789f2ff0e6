// EXPECT: false(unreach-call)
// TWIN: true
// A main that calls itself starts in other states, too.
#include "h.h"
static int depth;
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (depth++ < 2)
        return main();
#ifndef TWIN
    if (H(n) && depth == 3)
#else
    if (H(n) && depth < 3)
#endif
        reach_error();
    return 0;
}
