// EXPECT: true
// TWIN: false
// A NaN is not equal to itself, and neither less nor greater than anything.
#include <assert.h>
#include "h.h"
double __VERIFIER_nondet_double(void);
int main(void) {
    double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double();
#ifndef TWIN
    if (x == x && y == y)
        assert(x < y || x > y || x == y);
#else
    assert(x < y || x > y || x == y);
#endif
    return 0;
}
