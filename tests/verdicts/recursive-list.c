// EXPECT: false(pointer)
// TWIN: true
// A list that a recursive function makes, and another frees.
#include <stdlib.h>
#include "h.h"
struct node { struct node *next; };
static struct node *make(int count) {
    if (!count)
        return 0;
    struct node *made = malloc(sizeof *made);
    made->next = make(count - 1);
    return made;
}
static void drop(struct node *list) {
    if (!list)
        return;
#ifndef TWIN
    free(list);
    drop(list->next);
#else
    struct node *next = list->next;
    free(list);
    drop(next);
#endif
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    struct node *list = make(3);
    if (H(n))
        drop(list);
    return 0;
}
