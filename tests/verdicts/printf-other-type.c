// EXPECT: false(pointer)
// TWIN: true
// An argument of printf that is not what the format asks for.
#include <stdio.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    long wide = n;
    if (H(n)) {
#ifndef TWIN
        printf("%f\n", 1);
#else
        printf("%f %d %c %ld %d\n", 1.0f, (short)n, 'x', wide, (int)wide);
#endif
    }
    return 0;
}
