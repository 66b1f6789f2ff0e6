// EXPECT: true
// TWIN: false
// A summand of less than half a unit in the last place is lost, one of more is not.
#include <assert.h>
#include "h.h"
float __VERIFIER_nondet_float(void);
int main(void) {
    float x = __VERIFIER_nondet_float();
    if (!(x >= 1.0f && x < 2.0f))
        return 0;
#ifndef TWIN
    float y = x + 5e-8f;
#else
    float y = x + 7e-8f;
#endif
    assert(y == x);
    return 0;
}
