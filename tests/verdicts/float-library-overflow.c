// EXPECT: false(float-overflow)
// TWIN: true
// FLAGS: --property float-overflow
// What a function of <math.h> gives is checked like what an operator gives.
#include <math.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    double x = n % 2 ? 3.0 : 4.0;
#ifndef TWIN
    if (n > 5)
        x = 1e200;
    return pow(x, 2.0) > 5.0;
#else
    return sqrt(x) > 5.0;
#endif
}
