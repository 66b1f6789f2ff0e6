// EXPECT: false(bounds)
// TWIN: true
// How many digits a number has is known from its value.
#include <stdio.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    char b[4];
#ifndef TWIN
    if (n < 1001)
#else
    if (n < 1000)
#endif
        if (sprintf(b, "%u", n) > 4)
            reach_error();
    return 0;
}
