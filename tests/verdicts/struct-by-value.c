// EXPECT: false(assertion)
// TWIN: true
// A pointer inside a structure passed by value reaches the unknown function.
#include <assert.h>
#include "h.h"
struct given { int tag; int *where; };
extern void unknown(struct given);
int main(void) {
    int x = 1, y = 2;
    struct given g = {0, &x};
#ifndef TWIN
    g.tag = 1;
#else
    g.where = &y;
#endif
    unknown(g);
    assert(x == 1 && (y == 2 || g.where == &y));
    return 0;
}
