// EXPECT: false(assertion)
// TWIN: true
// A pointer inside a union passed by value reaches the unknown function.
#include <assert.h>
#include "h.h"
union given { long number; int *where; };
extern void unknown(union given);
int main(void) {
    int x = 1, y = 2;
    union given g;
#ifndef TWIN
    g.where = &x;
#else
    g.where = &y;
#endif
    unknown(g);
    assert(x == 1);
    return y;
}
