// EXPECT: false(pointer)
// TWIN: true
// A list is freed node by node.
#include <stdlib.h>
#include "h.h"
struct node { int value; struct node *next; };
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    struct node *list = 0, *first = 0;
    for (int i = 0; i < 3; i++) {
        struct node *e = malloc(sizeof *e);
        e->value = i;
        e->next = list;
        list = e;
    }
    first = list;
    list = list->next;
    free(first);
    if (H(n))
#ifndef TWIN
        return first->value;
#else
        return list->value;
#endif
    return 0;
}
