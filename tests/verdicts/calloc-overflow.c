// EXPECT: false
// TWIN: true
// A product that does not fit is refused: there is no memory.
#include <stdint.h>
#include <stdlib.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
#ifndef TWIN
    size_t count = SIZE_MAX / 4 + 2;
#else
    size_t count = 2;
#endif
    int *p = calloc(count, 4);
    if (H(n))
        p[1] = 1;
    free(p);
    return 0;
}
