// EXPECT: false
// TWIN: true
// What a function allocates in each turn of its caller's loop.
#include <assert.h>
#include <stdlib.h>
#include "h.h"
struct conn { int state; struct conn *peer; };
static struct conn *make(struct conn *peer) {
    struct conn *c = malloc(sizeof *c);
    c->state = 1;
    c->peer = peer;
    return c;
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    struct conn *c = 0;
    while (__VERIFIER_nondet_int()) {
        struct conn *old = c;
        c = make(c);
        if (c->peer) c->peer->state = 2;
#ifndef TWIN
        if (H(n) && old) assert(old->state == 1);
#else
        if (H(n)) assert(c->state == 1 && c->peer == old);
#endif
    }
    return 0;
}
