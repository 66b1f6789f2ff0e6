// EXPECT: false(pointer)
// TWIN: true
// The same with the use behind a condition, and a block entered twice.
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int *p = 0, y = 4, r = 0;
    for (int i = 0; i < 2; i++) {
        if (i == 0) {
            int x = 3;
            p = &x;
            r = x;
        } else if (H(n)) {
#ifndef TWIN
            *p = 1;
#else
            y = 1;
#endif
        }
    }
    return r + y;
}
