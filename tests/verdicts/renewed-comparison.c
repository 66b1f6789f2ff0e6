// EXPECT: false
// TWIN: true
// Two objects that live at the same time have two addresses; one that is gone may be where another is now.
#include <assert.h>
#include <stdlib.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int *p = 0, *last = 0;
    while (__VERIFIER_nondet_int()) {
        last = p;
        p = malloc(sizeof *p);
#ifndef TWIN
        if (H(n)) assert(p == last);
#else
        if (H(n)) assert(p != last);
#endif
    }
    return 0;
}
