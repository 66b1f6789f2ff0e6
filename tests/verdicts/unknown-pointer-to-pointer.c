// EXPECT: false(assertion)
// TWIN: true
// What can be reached from an argument through several pointers may change.
#include <assert.h>
#include "h.h"
extern void unknown(unsigned **);
int main(void) {
    unsigned x = 1, y = 2, *q = &x;
#ifndef TWIN
    unsigned *p = q;
#else
    unsigned *p = &y;
#endif
    unknown(&p);
    assert(!H(x) && *q == x);
    return (int)y;
}
