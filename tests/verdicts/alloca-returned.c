// EXPECT: false(pointer)
// TWIN: true
// Memory of alloca dies with its function.
#include <alloca.h>
#include "h.h"
static int *f(unsigned size, int *other) {
    int *p = alloca(size * sizeof *p);
    p[0] = 3;
#ifndef TWIN
    other[0] = p[0];
#else
    p = other;
#endif
    return p;
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int other[1] = {4};
    int *p = f(n % 5 + 1, other);
    if (H(n))
        return *p;
    return 0;
}
