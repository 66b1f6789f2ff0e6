// EXPECT: false(assertion)
// TWIN: true
// FLAGS: -std=gnu89
// assert without its header is still assert.
#include "h.h"
int main(void) {
    int x = __VERIFIER_nondet_int();
#ifndef TWIN
    assert(x != 3);
#else
    assert(x == x);
#endif
    return 0;
}
