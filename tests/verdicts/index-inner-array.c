// EXPECT: false(bounds)
// TWIN: true
// An index leaves its row, not the whole array.
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int a[2][3] = {{1, 2, 3}, {4, 5, 6}};
    if (H(n))
#ifndef TWIN
        return a[0][3 + (n & 1)];
#else
        return a[1][n & 1];
#endif
    return 0;
}
