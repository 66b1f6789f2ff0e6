// EXPECT: false(pointer)
// TWIN: true
// After realloc the old pointer is dead.
#include <stdlib.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int *p = malloc(2 * sizeof *p);
    p[0] = 7;
    int *q = realloc(p, 40 * sizeof *p);
    if (q && H(n))
#ifndef TWIN
        return p[0];
#else
        return q[0];
#endif
    return 0;
}
