// EXPECT: false(pointer)
// TWIN: true
// An object that is defined const cannot be written, whatever pointer leads there.
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
#ifndef TWIN
    const int x = 3;
#else
    int x = 3;
#endif
    int *p = (int *)&x;
    if (H(n))
        *p = 1;
    return 0;
}
