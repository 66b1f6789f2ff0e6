// EXPECT: false(pointer)
// TWIN: true
// A variable length array dies with its function.
#include "h.h"
static int *f(unsigned size, int *other) {
    int a[size];
    a[0] = 3;
    other[0] = a[0];
#ifndef TWIN
    int *p = a;
#else
    int *p = other;
#endif
    return p;
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int other[1];
    int *p = f(n % 5 + 1, other);
    if (H(n))
        return *p;
    return 0;
}
