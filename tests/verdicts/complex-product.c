// EXPECT: true
// TWIN: false
// The square of a Gaussian integer and of its conjugate: the parts are computed exactly.
#include <assert.h>
#include "h.h"
int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a < -6 || a > 6 || b < -6 || b > 6)
        return 0;
    _Complex int z;
    __real__ z = a;
    __imag__ z = b;
    _Complex int n = z * ~z;
#ifndef TWIN
    assert(__imag__ n == 0 && __real__ n >= 0);
#else
    assert(__imag__ n == 0 && __real__ n != 72);
#endif
    return 0;
}
