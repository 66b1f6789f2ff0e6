// EXPECT: true
// TWIN: false(pointer)
// FLAGS: --property pointer,bounds,leak
// A cache: what is used goes to the front, what was not used for the longest time is dropped at the back.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct page {
    int number;
    struct page *next, *prev;
};
static struct page *front, *back;
static void to_front(struct page *p)
{
    p->prev = 0;
    p->next = front;
    if (front)
        front->prev = p;
    else
        back = p;
    front = p;
}
static void take(struct page *p)
{
    if (p->prev)
        p->prev->next = p->next;
    else
        front = p->next;
    if (p->next)
        p->next->prev = p->prev;
#ifndef TWIN
    else
        back = p->prev;
#endif
}
static void use(int number)
{
    struct page *p = front;
    while (p && p->number != number)
        p = p->next;
    if (p) {
        take(p);
    } else {
        p = malloc(sizeof *p);
        p->number = number;
    }
    to_front(p);
}
int main(void)
{
    while (__VERIFIER_nondet_int()) {
        use(__VERIFIER_nondet_int());
        if (back && __VERIFIER_nondet_int()) {
            struct page *old = back;
            take(old);
            free(old);
        }
    }
    while (front) {
        struct page *p = front;
        take(p);
        free(p);
    }
    return 0;
}
