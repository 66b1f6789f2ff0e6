// EXPECT: false(unreach-call)
// TWIN: true
// The expected value is read before the exchange changes it.
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int x = n & 7;
    if (H(n)) {
        _Bool done = __sync_bool_compare_and_swap(&x, x, x + 1);
#ifndef TWIN
        if (done)
#else
        if (!done || x != (int)(n & 7) + 1)
#endif
            reach_error();
    }
    return 0;
}
