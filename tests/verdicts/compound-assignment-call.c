// EXPECT: false(unreach-call)
// TWIN: true
// C leaves the order open, but all compilers call the function before they read the variable.
#include "h.h"
static unsigned total;
static unsigned add(unsigned n) { total |= 128; return n; }
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    total = 2;
    if (H(n)) {
        total |= add(n & 1);
#ifndef TWIN
        if (total & 128)
#else
        if (total != (130 | (n & 1)))
#endif
            reach_error();
    }
    return 0;
}
