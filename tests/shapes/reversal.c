// EXPECT: true
// TWIN: false(leak)
// FLAGS: --property pointer,bounds,leak
// A list of any length is reversed and freed. The twin drops the rest of the list at every step.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {
    int data;
    struct node *next;
};
int main(void)
{
    struct node *list = 0, *back = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->data = __VERIFIER_nondet_int();
        n->next = list;
        list = n;
    }
    while (list) {
        struct node *rest = list->next;
        list->next = back;
        back = list;
#ifdef TWIN
        list = rest ? rest->next : 0;
#else
        list = rest;
#endif
    }
    while (back) {
        struct node *rest = back->next;
        free(back);
        back = rest;
    }
    return 0;
}
