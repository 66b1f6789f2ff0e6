// EXPECT: true
// TWIN: false
#include <assert.h>
#include <errno.h>
#include <math.h>
#include "h.h"
float __VERIFIER_nondet_float(void);
int main(void) {
    float x = __VERIFIER_nondet_float();
    errno = 0;
    float r = sqrtf(x);
#ifndef TWIN
    if (x < 0.0f)
        assert(r != r && errno == EDOM);
    else
        assert(errno == 0);
#else
    assert(r >= 0.0f || x != x);
#endif
    return 0;
}
