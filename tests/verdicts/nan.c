// EXPECT: true
// TWIN: false(assertion)
// nan returns a quiet NaN.
#include <assert.h>
#include <math.h>
#include "h.h"
int main(void) {
    double x = nan("");
#ifndef TWIN
    assert(x != x);
#else
    assert(x == x);
#endif
    return 0;
}
