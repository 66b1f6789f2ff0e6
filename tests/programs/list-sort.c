// EXPECT: true
// TWIN: false(assertion)
// FLAGS: --property assertion,pointer,bounds,leak
// Insertion sort on a list of any length: afterwards the list is in order. The twin takes a number and the next smaller one for equal.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {
    int data;
    struct node *next;
};
static struct node *insert(struct node *sorted, struct node *n)
{
    struct node *before = NULL, *p = sorted;
#ifdef TWIN
    for (; p && p->data < n->data - 1; p = p->next)
#else
    for (; p && p->data < n->data; p = p->next)
#endif
        before = p;
    n->next = p;
    if (!before)
        return n;
    before->next = n;
    return sorted;
}
int main(void)
{
    struct node *list = NULL, *sorted = NULL, *p;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        if (!n)
            exit(1);
        n->data = __VERIFIER_nondet_int();
        n->next = list;
        list = n;
    }
    while (list) {
        struct node *n = list;
        list = list->next;
        sorted = insert(sorted, n);
    }
    for (p = sorted; p && p->next; p = p->next)
        assert(p->data <= p->next->data);
    while (sorted) {
        p = sorted->next;
        free(sorted);
        sorted = p;
    }
    return 0;
}
