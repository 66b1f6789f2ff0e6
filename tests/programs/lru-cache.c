// EXPECT: true
// TWIN: false(pointer)
// FLAGS: --property assertion,pointer,bounds,leak
// A cache of any capacity: what is used goes to the front, and if there are too many pages the last one is dropped.
// The twin drops a page before it has put in the new one.
#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
struct page {
    unsigned number;
    int value;
    struct page *next, *prev;
};
struct cache {
    struct page *first, *last;
    unsigned count, capacity;
};
static void detach(struct cache *c, struct page *p)
{
    if (p->prev)
        p->prev->next = p->next;
    else
        c->first = p->next;
    if (p->next)
        p->next->prev = p->prev;
    else
        c->last = p->prev;
}
static void attach(struct cache *c, struct page *p)
{
    p->prev = NULL;
    p->next = c->first;
    if (c->first)
        c->first->prev = p;
    else
        c->last = p;
    c->first = p;
}
static void evict(struct cache *c)
{
    struct page *p = c->last;
    detach(c, p);
    free(p);
    c->count--;
}
static struct page *lookup(struct cache *c, unsigned number)
{
    for (struct page *p = c->first; p; p = p->next)
        if (p->number == number) {
            detach(c, p);
            attach(c, p);
            return p;
        }
    return NULL;
}
static struct page *fetch(struct cache *c, unsigned number)
{
    struct page *p = lookup(c, number);
    if (p)
        return p;
#ifdef TWIN
    if (c->count >= c->capacity)
        evict(c);
#endif
    p = malloc(sizeof *p);
    if (!p)
        exit(1);
    p->number = number;
    p->value = 1;
    attach(c, p);
    c->count++;
#ifndef TWIN
    if (c->count > c->capacity && c->last != p)
        evict(c);
#endif
    return p;
}
int main(void)
{
    struct cache c = { NULL, NULL, 0, __VERIFIER_nondet_uint() };
    while (__VERIFIER_nondet_int()) {
        unsigned number = __VERIFIER_nondet_uint();
        struct page *p = fetch(&c, number);
        assert(p->number == number);
        assert(p->value == 1);
        assert(c.first == p);
    }
    while (c.first) {
        struct page *p = c.first;
        detach(&c, p);
        free(p);
    }
    return 0;
}
