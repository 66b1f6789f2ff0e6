// EXPECT: true
// TWIN: false
// C's Annex G: a product with an infinity is an infinity, even where both parts come out as NaNs.
#include <assert.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    double inf = __builtin_inf();
    _Complex double z = __builtin_complex(inf, n % 2 ? inf : 1.0);
    _Complex double w = __builtin_complex(inf, inf);
    _Complex double p = z * w;
#ifndef TWIN
    assert(__real__ p == inf || __real__ p == -inf || __imag__ p == inf);
#else
    assert(__real__ p == __real__ p && __real__ p != -inf);
#endif
    return 0;
}
