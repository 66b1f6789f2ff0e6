// EXPECT: false(assertion)
// TWIN: true
// FLAGS: -std=gnu89
// The words of ESBMC are understood.
#include "h.h"
int main(void) {
    int x = __VERIFIER_nondet_int();
    __ESBMC_assume(x > 3);
#ifndef TWIN
    __ESBMC_assert(x > 4, "above four");
#else
    __ESBMC_assert(x > 3, "above three");
#endif
    return 0;
}
