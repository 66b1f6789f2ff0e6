// EXPECT: true
// TWIN: false(pointer)
// FLAGS: --property pointer,bounds,leak
// Nodes of one list are moved to their places in another.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {
    int data;
    struct node *next;
};
int main(void)
{
    struct node *list = 0, *sorted = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->data = __VERIFIER_nondet_int();
        n->next = list;
        list = n;
    }
    while (list) {
        struct node *n = list;
        struct node **at = &sorted;
        list = list->next;
#ifdef TWIN
        while ((*at)->data < n->data)
#else
        while (*at && (*at)->data < n->data)
#endif
            at = &(*at)->next;
        n->next = *at;
        *at = n;
    }
    while (sorted) {
        struct node *rest = sorted->next;
        free(sorted);
        sorted = rest;
    }
    return 0;
}
