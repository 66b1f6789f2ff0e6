// EXPECT: true
// TWIN: unknown or false
// A sine lies between -1 and 1, or is no number; more is not known.
#include <assert.h>
#include <math.h>
#include "h.h"
double __VERIFIER_nondet_double(void);
int main(void) {
    double y = sin(__VERIFIER_nondet_double());
#ifndef TWIN
    assert(!(y > 1.0) && !(y < -1.0));
#else
    assert(!(y > 0.5));
#endif
    return 0;
}
