// EXPECT: true
// TWIN: false
// Overflow of 128-bit integers is found without a wider type.
#include <assert.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    __int128 a = (__int128)n << 96, r;
    _Bool over = __builtin_add_overflow(a, a, &r);
#ifndef TWIN
    assert(over == (n >= 0x40000000u && n < 0xc0000000u));
#else
    assert(over == (n > 0x40000000u && n < 0xc0000000u));
#endif
    return 0;
}
