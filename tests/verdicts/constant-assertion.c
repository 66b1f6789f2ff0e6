// EXPECT: false(assertion)
// TWIN: true
// An assertion that is true by its types is an assertion.
#include <assert.h>
#include "h.h"
#define KIND(x) _Generic((x), int : 1, unsigned : 2, default : 3)
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (H(n))
#ifndef TWIN
        assert(KIND(n) == 1);
#else
        assert(KIND(n) == 2);
#endif
    return 0;
}
