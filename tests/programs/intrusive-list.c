// EXPECT: true
// TWIN: false(pointer)
// FLAGS: --property assertion,pointer,bounds,leak
// Links inside of larger nodes, two lists, nodes move from one to the other and are freed in the end.
// The twin forgets the link back.
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct link {
    struct link *next, *prev;
};
struct job {
    int state;
    struct link link;
    int priority;
};
#define JOB(l) ((struct job *)((char *)(l) - offsetof(struct job, link)))
static void list_init(struct link *h)
{
    h->next = h->prev = h;
}
static int list_empty(const struct link *h)
{
    return h->next == h;
}
static void list_add(struct link *h, struct link *l)
{
    l->next = h->next;
    l->prev = h;
    h->next->prev = l;
    h->next = l;
}
static void list_del(struct link *l)
{
    l->prev->next = l->next;
#ifndef TWIN
    l->next->prev = l->prev;
#endif
}
static struct link waiting, running;
static void drain(struct link *h, int state)
{
    while (!list_empty(h)) {
        struct job *j = JOB(h->next);
        assert(j->state == state);
        list_del(&j->link);
        free(j);
    }
}
int main(void)
{
    list_init(&waiting);
    list_init(&running);
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            struct job *j = malloc(sizeof *j);
            if (!j)
                break;
            j->state = 0;
            j->priority = __VERIFIER_nondet_int();
            list_add(&waiting, &j->link);
        } else if (!list_empty(&waiting)) {
            struct job *j = JOB(waiting.prev);
            list_del(&j->link);
            j->state = 1;
            list_add(&running, &j->link);
        }
    }
    drain(&waiting, 0);
    drain(&running, 1);
    return 0;
}
