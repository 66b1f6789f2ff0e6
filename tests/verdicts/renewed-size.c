// EXPECT: false
// TWIN: true
// Each turn's buffer has its own size.
#include <stdlib.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    size_t size = 8;
    char *p = malloc(size), *small = p;
    while (__VERIFIER_nondet_int()) {
        if (size > 60) break;
        small = p;
        size++;
        p = malloc(size);
        p[size - 1] = 0;
#ifndef TWIN
        if (H(n)) small[size - 1] = 1;
#else
        if (H(n)) p[size - 1] = 1;
#endif
    }
    return small[0] && 0;
}
