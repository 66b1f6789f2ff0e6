// EXPECT: true
// TWIN: false(assertion)
// signbit is what the builtin computes.
#include <assert.h>
#include <math.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    assert(signbit(-0.0) != 0 && signbit(1.0) == 0);
#else
    assert(signbit(-1.0) == 0);
#endif
    return 0;
}
