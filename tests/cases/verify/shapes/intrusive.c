// Links inside of larger nodes, as in Linux: a circular list of any length, from which any node is taken.
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct link {
    struct link *next, *prev;
};
struct task {
    int state;
    struct link all;
    int priority;
};
#define TASK(l) ((struct task *)((char *)(l) - offsetof(struct task, all)))
static struct link tasks = { &tasks, &tasks };
static void add_tail(struct link *l)
{
    l->prev = tasks.prev;
    l->next = &tasks;
    tasks.prev->next = l;
    tasks.prev = l;
}
static void take(struct link *l)
{
    l->next->prev = l->prev;
    l->prev->next = l->next;
}
int main(void)
{
    struct link *l;
    while (__VERIFIER_nondet_int()) {
        struct task *t = malloc(sizeof *t);
        t->state = 1;
        t->priority = __VERIFIER_nondet_int();
        add_tail(&t->all);
    }
    for (l = tasks.next; l != &tasks; l = l->next)
        if (TASK(l)->priority > 10)
            break;
    if (l != &tasks) {
#ifndef TWIN
        take(l);
#endif
        free(TASK(l));
    }
    while (tasks.next != &tasks) {
        struct task *t = TASK(tasks.next);
        assert(t->state == 1);
        take(&t->all);
        free(t);
    }
    return 0;
}
