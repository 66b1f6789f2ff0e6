// EXPECT: true
// TWIN: false
// A double holds every int, a float does not.
#include <assert.h>
#include "h.h"
int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
#ifndef TWIN
    double x = n;
    assert((int)x == n);
#else
    float x = n;
    assert(n < 0 || n > 100000000 || (int)x == n);
#endif
    return 0;
}
