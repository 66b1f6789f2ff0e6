// EXPECT: true
// TWIN: false(assertion)
// FLAGS: --property assertion,pointer,bounds,leak
// A list of any length, first ones and then twos, is reversed: first twos and then ones. The twin loses the order.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {
    int data;
    struct node *next;
};
static struct node *push(struct node *list, int data)
{
    struct node *n = malloc(sizeof *n);
    if (!n)
        exit(1);
    n->data = data;
    n->next = list;
    return n;
}
static struct node *reverse(struct node *list)
{
    struct node *back = NULL;
    while (list) {
        struct node *rest = list->next;
        list->next = back;
        back = list;
        list = rest;
    }
    return back;
}
static void release(struct node *list)
{
    while (list) {
        struct node *rest = list->next;
        free(list);
        list = rest;
    }
}
int main(void)
{
    struct node *list = NULL, *p;
    while (__VERIFIER_nondet_int())
        list = push(list, 2);
    while (__VERIFIER_nondet_int())
        list = push(list, 1);
#ifdef TWIN
    if (__VERIFIER_nondet_int())
        list = push(list, 2);
#endif
    list = reverse(list);
    for (p = list; p && p->data == 2; p = p->next)
        ;
    for (; p; p = p->next)
        assert(p->data == 1);
    release(list);
    return 0;
}
