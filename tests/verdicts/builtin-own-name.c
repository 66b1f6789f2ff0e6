// EXPECT: unknown or true
// TWIN: false(assertion)
// A function of the library that is made of the built-in function of its name does not call itself.
#include <assert.h>
#include "h.h"
double fabs(double x) { return __builtin_fabs(x); }
int abs(int x) { return __builtin_abs(x); }
int main(void) {
    int n = __VERIFIER_nondet_int() % 100;
    assert(fabs(-2.0) == 2.0);
#ifndef TWIN
    assert(abs(n) >= 0);
#else
    assert(abs(n) > 0);
#endif
    return 0;
}
