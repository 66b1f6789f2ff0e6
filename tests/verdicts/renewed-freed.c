// EXPECT: false
// TWIN: true
// The buffer of an earlier turn is gone, the newest one is there.
#include <stdlib.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    char *p = malloc(4), *kept = p;
    while (__VERIFIER_nondet_int()) {
        free(p);
        p = malloc(4);
        p[3] = 1;
#ifndef TWIN
        if (H(n)) kept[0] = 1;
#else
        kept = p;
#endif
    }
    if (H(n)) p[0] = 1;
    free(p);
    return 0;
}
