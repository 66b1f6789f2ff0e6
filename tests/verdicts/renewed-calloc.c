// EXPECT: false
// TWIN: true
// Each turn's object starts with zeros, and keeps what is written to it.
#include <assert.h>
#include <stdlib.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    unsigned *p = 0, *kept = 0;
    while (__VERIFIER_nondet_int()) {
        kept = p;
        p = calloc(3, sizeof *p);
        assert(p[1] == 0);
        if (H(n)) p[1] = 6;
#ifndef TWIN
        if (kept) assert(kept[1] == 0);
#endif
    }
    return 0;
}
