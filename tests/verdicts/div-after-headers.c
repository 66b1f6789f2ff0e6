// EXPECT: false(division-by-zero)
// TWIN: true
// `div_t` is untagged: it is the same type whatever was declared before it.
#include <stdio.h>
#include <stdlib.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
#ifndef TWIN
    int by = H(n) ? 0 : 2;
#else
    int by = H(n) ? 1 : 2;
#endif
    return div(7, by).quot == 123;
}
