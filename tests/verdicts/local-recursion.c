// EXPECT: false(pointer)
// TWIN: true
// The local of an inner activation is not that of the outer one.
#include "h.h"
static int *inner;
static int f(int depth, unsigned n) {
    int x = depth;
    if (depth == 0) {
        inner = &x;
        return 0;
    }
    f(depth - 1, n);
    if (depth == 2 && H(n))
#ifndef TWIN
        return *inner;
#else
        return x;
#endif
    return x;
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    f(2, n);
    return 0;
}
