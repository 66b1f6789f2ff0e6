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
    assert(floorf(x) <= x && x < floorf(x) + 1.0f);
    assert(ceilf(x) >= x && truncf(x) == (float)(int)x);
    assert(roundf(x) - x <= 0.5f && fabsf(x) >= x);
#else
    assert(x - rintf(x) < 0.5f);
#endif
    return 0;
}
