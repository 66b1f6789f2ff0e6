/* A queue over a pool of three cells that are linked when they are used; what is put in comes out in order.
 * What was put first is got first:
 * property: ((not {"put blue"}) U {"put red"}) -> ((not {"get blue"}) W {"get red"}) */
#include <stddef.h>

void _cwolf_event(const char *label);
int __VERIFIER_nondet_int(void);

enum { CELLS = 3 };
enum kind { RED = 1, BLUE };

struct cell {
    struct cell *next;
    enum kind kind;
    int used;
};

static struct cell pool[CELLS];
static struct cell *first, *last;

static struct cell *find(void)
{
    for (size_t i = 0; i < CELLS; i++)
        if (!pool[i].used)
            return &pool[i];
    return NULL;
}

static void put(enum kind kind)
{
    struct cell *c = find();
    if (!c) {
        _cwolf_event("full");
        return;
    }
    c->used = 1;
    c->kind = kind;
    c->next = NULL;
    if (last)
        last->next = c;
    else
        first = c;
    last = c;
    _cwolf_event(kind == RED ? "put red" : "put blue");
}

static void get(void)
{
    struct cell *c = first;
    if (!c) {
        _cwolf_event("empty");
        return;
    }
    first = c->next;
    if (!first)
        last = NULL;
    c->used = 0;
    _cwolf_event(c->kind == RED ? "get red" : "get blue");
}

int main(void)
{
    for (;;) {
        switch (__VERIFIER_nondet_int()) {
        case 0: put(RED); break;
        case 1: put(BLUE); break;
        case 2: get(); break;
        }
    }
}
