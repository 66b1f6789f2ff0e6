// EXPECT: false
// TWIN: true
// What an object holds stays with it when it is no longer the newest.
#include <assert.h>
#include <stdlib.h>
#include "h.h"
struct node { struct node *next; unsigned v; };
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    struct node *head = 0;
    while (__VERIFIER_nondet_int()) {
        struct node *new = malloc(sizeof *new);
        new->next = head;
        new->v = 1;
        head = new;
#ifndef TWIN
        if (H(n) && head->next) head->next->v = 2;
        if (head->next && head->next->next) assert(head->next->next->v == 1);
#else
        if (H(n) && head->next) head->next->v = 2;
        assert(head->v == 1);
#endif
    }
    return 0;
}
