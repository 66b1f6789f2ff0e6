// EXPECT: true
// TWIN: false
// Intrinsics on the first element: the others stay, and what does not fit is the least integer.
#include <assert.h>
#include <emmintrin.h>
#include "h.h"
int main(void) {
    int n = __VERIFIER_nondet_uint() % 256;
    __m128 a = _mm_cvtsi32_ss(_mm_setr_ps(1, 2, 3, 4), n);
    __m128 b = _mm_add_ss(a, _mm_set1_ps(0.5f));
    assert(b[1] == 2 && _mm_comigt_ss(b, a));
    assert(_mm_cvttss_si32(b) == n);
#ifndef TWIN
    assert(_mm_cvtss_si32(b) == n + (n & 1));
    assert(_mm_cvttss_si32(_mm_set_ss(3e9f)) == -2147483647 - 1);
#else
    assert(_mm_cvtss_si32(b) == n);
#endif
    return 0;
}
