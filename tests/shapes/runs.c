// EXPECT: true
// TWIN: false(assertion)
// FLAGS: --property assertion
// A list holds ones, then twos, then a three.
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
    n->data = data;
    n->next = list;
    return n;
}
int main(void)
{
    struct node *list = push(0, 3), *p;
    while (__VERIFIER_nondet_int())
        list = push(list, 2);
#ifdef TWIN
    if (__VERIFIER_nondet_int())
        list = push(list, 4);
#endif
    while (__VERIFIER_nondet_int())
        list = push(list, 1);
    p = list;
    while (p->data == 1)
        p = p->next;
    while (p->data == 2)
        p = p->next;
    assert(p->data == 3);
    return 0;
}
