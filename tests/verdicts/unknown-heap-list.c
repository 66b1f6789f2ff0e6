// EXPECT: false(assertion)
// TWIN: true
// The same on the heap.
#include <assert.h>
#include <stdlib.h>
#include "h.h"
struct node { unsigned v; struct node *next; };
extern void unknown(struct node *);
int main(void) {
    struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    a->v = b->v = 1;
    b->next = 0;
#ifndef TWIN
    a->next = b;
#else
    a->next = 0;
#endif
    unknown(a);
    assert(b->v == 1);
    return 0;
}
