// EXPECT: unknown or false
// TWIN: true
// FLAGS: --property unreach-call
// The same with an index.
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int a[4] = {0}, x = 0;
#ifndef TWIN
    unsigned k = 9 + n % 2;
#else
    unsigned k = n % 4;
#endif
    a[k] = 1;
    if (k == 9)
        reach_error();
    return x;
}
