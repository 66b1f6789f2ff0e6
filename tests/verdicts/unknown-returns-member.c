// EXPECT: unknown or false(assertion)
// TWIN: true
// FLAGS: --property assertion
// The result may be a pointer that lies where an argument leads to.
#include <assert.h>
#include "h.h"
struct node { int v; struct node *next; };
extern struct node *unknown(struct node *);
int main(void) {
    struct node b = {1, 0}, a = {2, 0}, *last = &b;
#ifndef TWIN
    a.next = &b;
#endif
    struct node *p = unknown(&a);
    last->v = 1;
    if (p)
        p->v = 5;
    assert(last->v == 1);
    return 0;
}
