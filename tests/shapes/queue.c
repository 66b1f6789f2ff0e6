// EXPECT: true
// TWIN: false(pointer)
// FLAGS: --property pointer,bounds,leak
// A queue with a tail pointer, filled and emptied in any order.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct item {
    struct item *next;
    int what;
};
struct queue {
    struct item *first, *last;
};
static void put(struct queue *q, int what)
{
    struct item *i = malloc(sizeof *i);
    i->what = what;
    i->next = 0;
    if (q->last)
        q->last->next = i;
    else
        q->first = i;
    q->last = i;
}
static void get(struct queue *q)
{
    struct item *i = q->first;
    q->first = i->next;
#ifndef TWIN
    if (!q->first)
        q->last = 0;
#endif
    free(i);
}
int main(void)
{
    struct queue q = { 0, 0 };
    while (__VERIFIER_nondet_int()) {
        if (q.first && __VERIFIER_nondet_int())
            get(&q);
        else
            put(&q, 1);
    }
    while (q.first)
        get(&q);
    return 0;
}
