// EXPECT: false(pointer)
// TWIN: true
// A function whose result lies elsewhere is called through a pointer of another type.
#include "h.h"
static long whole(long a, int b) { return a + b; }
static float part(long a, int b) { return a / 2.0f + b; }
int main(void) {
    float (*call)(long, int) = part;
    unsigned n = __VERIFIER_nondet_uint();
#ifndef TWIN
    if (H(n))
        call = (float (*)(long, int))whole;
#else
    (void)whole;
#endif
    return call(n, 1) > 0;
}
