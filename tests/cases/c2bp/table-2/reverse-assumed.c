/* reverse.c with the two facts about the way back that no predicates can tell: it comes to h from hnext
   only, and it comes past h if the way there did. */
struct node {
    int mark;
    struct node *next;
};

extern struct node *__VERIFIER_nondet_pointer(void);
extern void __VERIFIER_assume(int);

void mark(struct node *list)
{
    struct node *this, *tmp, *prev;
    struct node *h, *hnext;
    int passed = 0; /* the way there came past h, and the way back has not yet */

    h = __VERIFIER_nondet_pointer();
    if (h == 0)
        return;
    hnext = h->next;
    prev = 0;
    this = list;
    while (this != 0) {
        if (this->mark == 1)
            break;
        if (this == h)
            passed = 1;
        this->mark = 1;
        tmp = prev;
        prev = this;
        this = this->next;
        prev->next = tmp;
    }
TURN:
    while (prev != 0) {
        if (prev == h)
            passed = 0;
        tmp = this;
        this = prev;
        prev = prev->next;
        this->next = tmp;
#ifdef ONLY_FROM_HNEXT
        __VERIFIER_assume(prev != h || this == hnext);
#endif
    }
#ifdef PAST_H_AGAIN
    __VERIFIER_assume(passed == 0);
#endif
DONE:
    return;
}
