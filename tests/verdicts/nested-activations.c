// EXPECT: true
// TWIN: false
// Pointers to one nested function from two activations know two variables.
#include <assert.h>
#include "h.h"
static int both(int depth, int (*before)(void)) {
    int mine = depth;
    int get(void) { return mine; }
    if (depth > 4)
        return before() * 100 + get();
    return both(depth + 1, get);
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 3 || n > 4)
        return 0;
#ifndef TWIN
    assert(both(n, 0) == 405);
#else
    assert(both(n, 0) == 505);
#endif
    return 0;
}
