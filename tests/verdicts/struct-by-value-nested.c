// EXPECT: false(assertion)
// TWIN: true
// Also inside an array of a nested structure.
#include <assert.h>
#include "h.h"
struct inner { int *p[2]; };
struct outer { struct inner in; long k; };
extern int unknown(struct outer);
int main(void) {
    int x = 1, y = 2;
    struct outer o = {{{&y, &y}}, 3};
#ifndef TWIN
    o.in.p[1] = &x;
#else
    o.k = x;
#endif
    unknown(o);
    assert(x == 1);
    return 0;
}
