/* A list is marked with pointers turned around, then turned back: Figure 3 of the C2BP paper, with
   the auxiliary variables h (any cell of the list) and hnext (what follows it). */
struct node {
    int mark;
    struct node *next;
};

extern struct node *__VERIFIER_nondet_pointer(void);

void mark(struct node *list)
{
    struct node *this, *tmp, *prev;
    struct node *h, *hnext;

    h = __VERIFIER_nondet_pointer();
    if (h == 0)
        return;
    hnext = h->next;
    prev = 0;
    this = list;
    /* traverse list and mark, setting back pointers */
    while (this != 0) {
        if (this->mark == 1)
            break;
        this->mark = 1;
        tmp = prev;
        prev = this;
        this = this->next;
        prev->next = tmp;
    }
    /* traverse back, resetting the pointers */
    while (prev != 0) {
        tmp = this;
        this = prev;
        prev = prev->next;
        this->next = tmp;
    }
DONE:
    return;
}
