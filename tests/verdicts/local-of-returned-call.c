// EXPECT: false(pointer)
// TWIN: true
// A local dies when its function returns.
#include "h.h"
static int *f(void) {
    static int kept;
    int x = 5;
    int *p = &x;
#ifndef TWIN
    kept = x;
#else
    p = &kept;
#endif
    return p;
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int *p = f();
    if (H(n))
        return *p;
    return 0;
}
