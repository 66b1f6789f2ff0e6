// EXPECT: false(pointer)
// TWIN: true
// Null is good for nothing but counting.
#include <stdio.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (H(n))
#ifndef TWIN
        return snprintf(0, 1, "%d", 3) == 77;
#else
        return snprintf(0, 0, "%d", 3) == 77;
#endif
    return 0;
}
