// EXPECT: false
// TWIN: true
// An object that leads to itself does so when it is no longer the newest.
#include <assert.h>
#include <stdlib.h>
#include "h.h"
struct node { struct node *self; unsigned v; };
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    struct node *last = 0, *now = 0;
    while (__VERIFIER_nondet_int()) {
        last = now;
        now = malloc(sizeof *now);
        now->self = now;
        now->v = 0;
        if (last && H(n)) last->self->v = 3;
#ifndef TWIN
        if (last) assert(last->v == 0);
#else
        assert(now->v == 0);
#endif
    }
    return 0;
}
