// EXPECT: false
// TWIN: true
// Memory of an earlier turn lasts until the function returns.
#include <assert.h>
#include <alloca.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int *kept = 0, *p = 0;
    unsigned turns = 0;
    while (turns++ < 100 && __VERIFIER_nondet_int()) {
        kept = p;
        p = alloca(sizeof *p);
        *p = 1;
        if (kept) *kept = 2;
#ifndef TWIN
        if (H(n) && kept) assert(*kept == 1);
#else
        if (H(n)) assert(*p == 1);
#endif
    }
    return 0;
}
