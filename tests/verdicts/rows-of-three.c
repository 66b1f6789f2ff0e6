// EXPECT: false(assertion)
// TWIN: true
// An element of a row whose size is no power of two, in a row that is not known; and a member of such a structure.
#include <assert.h>
#include "h.h"
struct three { int a, b, c; };
int rows[2][3];
struct three all[4];
int main(void) {
    unsigned r = __VERIFIER_nondet_uint(), n = __VERIFIER_nondet_uint();
    if (r > 1 || !H(n))
        return 0;
    rows[1][1] = 2;
    all[3].b = 5;
#ifndef TWIN
    assert(rows[r][1] != 2 || all[r + 2].b != 5);
#else
    all[r + 1].b = 6;
    assert((rows[r][1] == 2) == (r == 1) && (all[r + 2].b == 5) == (r == 1) && all[r + 1].b == 6);
#endif
    return 0;
}
