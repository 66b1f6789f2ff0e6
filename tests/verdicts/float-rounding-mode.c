// EXPECT: unknown or false
// TWIN: true
// Where the program may change the rounding mode, nobody says how a sum is rounded.
#include <assert.h>
#include <fenv.h>
#include "h.h"
float __VERIFIER_nondet_float(void);
int main(void) {
    float x = __VERIFIER_nondet_float();
    if (!(x >= 1.0f && x < 2.0f))
        return 0;
#ifndef TWIN
    fesetround(FE_UPWARD);
    float y = x + 1e-9f;
    assert(y == x);
#else
    fesetround(FE_UPWARD);
    float y = x + 1e-9f;
    assert(y >= x);
#endif
    return 0;
}
