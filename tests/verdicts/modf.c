// EXPECT: true
// TWIN: false(assertion)
// modf splits a number.
#include <assert.h>
#include <math.h>
#include "h.h"
int main(void) {
    double i;
#ifndef TWIN
    assert(modf(-5.75, &i) == -0.75 && i == -5.0);
#else
    assert(modf(-5.75, &i) == 0.25);
#endif
    return 0;
}
