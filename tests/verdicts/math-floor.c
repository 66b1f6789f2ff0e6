// EXPECT: true
// TWIN: false
#include <assert.h>
#include <math.h>
#include "h.h"
float __VERIFIER_nondet_float(void);
int main(void) {
    float x = __VERIFIER_nondet_float();
    if (!(x > -1000.0f && x < 1000.0f))
        return 0;
#ifndef TWIN
    assert(floorf(x) <= x && ceilf(x) >= x && fabsf(x) >= x);
#else
    assert(x - rintf(x) < 0.5f);
#endif
    return 0;
}
