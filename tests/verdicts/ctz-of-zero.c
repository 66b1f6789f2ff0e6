// EXPECT: unknown or false
// TWIN: true
// How many zeros 0 ends with is not defined: it may be any number.
#include <assert.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    unsigned x = H(n) ? 0 : 4;
#ifdef TWIN
    x |= 8;
#endif
    int zeros = __builtin_ctz(x);
    assert(zeros < 32 && zeros >= 0);
    return 0;
}
