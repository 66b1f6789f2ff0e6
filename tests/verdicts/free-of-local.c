// EXPECT: false(pointer)
// TWIN: true
// Only what was allocated can be freed.
#include <stdlib.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int x = 3, *p = malloc(sizeof *p), *q = p;
#ifndef TWIN
    q = &x;
#else
    x = 4;
#endif
    if (H(n))
        free(q);
    return x;
}
