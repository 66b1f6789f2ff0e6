// EXPECT: false
// TWIN: true
// A number that is written through a pointer to its unsigned type is not that number.
#include <assert.h>
#include "h.h"
int main(void) {
    int x = 0;
    unsigned u = __VERIFIER_nondet_uint();
    if ((long long)x > (long long)u)
        return 1;
    *(unsigned *)&x = u;
#ifndef TWIN
    if ((long long)x < (long long)u)
        assert(!H(u + 0x80000000u));
#else
    if ((long long)x < (long long)u)
        assert(u >= 0x80000000u);
#endif
    return 0;
}
