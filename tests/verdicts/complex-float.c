// EXPECT: true
// TWIN: false
// A real factor stays real: infinity times i has the real part zero, not a NaN.
#include <assert.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    double x = n % 2 ? 2.0 : __builtin_inf();
    _Complex double z = 1.0i * x;
    _Complex double w = z;
    w += 1.0;
#ifndef TWIN
    assert(__imag__ w >= 2.0 && __real__ z == __real__ z || x > 2.0);
#else
    assert(__imag__ w < 3.0);
#endif
    return 0;
}
