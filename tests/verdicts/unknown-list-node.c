// EXPECT: false(assertion)
// TWIN: true
// The second node of a list can be reached from the first.
#include <assert.h>
#include "h.h"
struct node { unsigned v; struct node *next; };
extern void unknown(struct node *);
int main(void) {
    struct node b = {1, 0}, a = {2, 0}, *last = &b;
#ifndef TWIN
    a.next = &b;
#endif
    unknown(&a);
    assert(!H(last->v));
    return 0;
}
