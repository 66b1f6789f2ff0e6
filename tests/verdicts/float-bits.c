// EXPECT: true
// TWIN: false
// A number and its bits in a union are the same memory: one more is the next number.
#include <assert.h>
#include "h.h"
float __VERIFIER_nondet_float(void);
int main(void) {
    union { float value; unsigned bits; } u;
    u.value = __VERIFIER_nondet_float();
    if (!(u.value >= 0.5f && u.value < 100.0f))
        return 0;
    float before = u.value;
    u.bits += 1;
#ifndef TWIN
    assert(before < u.value);
#else
    assert(before + 0.001f > u.value && u.value - before < 1e-6f);
#endif
    return 0;
}
