// EXPECT: false
// TWIN: true
// A pointer that is kept leads to the object of an earlier turn, which the next one does not change.
#include <assert.h>
#include <stdlib.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    unsigned *p = malloc(sizeof *p), *kept = p;
    *p = 1;
    while (__VERIFIER_nondet_int()) {
        kept = p;
        p = malloc(sizeof *p);
        *p = 2;
#ifndef TWIN
        if (H(n)) *kept = 7;
        assert(*kept != 7 || kept == p);
#else
        if (H(n)) *kept = 7;
        assert(*p == 2);
#endif
    }
    return 0;
}
