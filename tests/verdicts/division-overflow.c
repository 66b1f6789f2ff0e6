// EXPECT: false(overflow)
// TWIN: true
// The processor stops a program at INT_MIN / -1 as it does at a division by zero.
#include "h.h"
#include <limits.h>
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int least = INT_MIN, by = H(n) ? -1 : 3;
#ifdef TWIN
    least++;
#endif
    return least / by != 0;
}
