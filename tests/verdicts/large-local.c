// EXPECT: true
// TWIN: false(assertion)
// What such an array holds at first is not told element by element.
#include <assert.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
#ifndef TWIN
    char a[1ul << 33];
#else
    char a[100];
#endif
    a[5] = 1;
#ifdef TWIN
    if (H(n))
        a[5] = 2;
#endif
    assert(a[5] == 1);
    return 0;
}
