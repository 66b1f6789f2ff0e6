// EXPECT: true
// TWIN: false
// The zeros are equal, and their quotients are not.
#include <assert.h>
#include "h.h"
float __VERIFIER_nondet_float(void);
int main(void) {
    float x = __VERIFIER_nondet_float();
    if (x == 0.0f) {
        float y = 1.0f / x;
#ifndef TWIN
        assert(y > 1.0f || y < -1.0f);
#else
        assert(y > 1.0f);
#endif
    }
    return 0;
}
