// EXPECT: unknown or false
// TWIN: true
// FLAGS: --property unreach-call
// A proof must not rest on an access that is not checked.
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int x = 0, *p = &x;
#ifndef TWIN
    p = 0;
#else
    x = 1;
#endif
    *p = 1;
    if (p == 0 || x == 0)
        reach_error();
    return 0;
}
