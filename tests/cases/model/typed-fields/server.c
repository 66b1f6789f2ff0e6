#include <stdlib.h>
#include <string.h>

enum { OPENING = 1, OPEN, CLOSING };
struct conn { int id; int state; int retries; struct conn *next; };
static struct conn *list, spare, pair[2];
static char pool[2 * sizeof(struct conn)];

int event(void);
void tx(int);

static void new_conn(int id)
{
    struct conn *c = malloc(sizeof *c);
    c->id = id;
    c->state = OPENING;
    c->retries = 0;
    c->next = list;
    list = c;
}

static void step(struct conn *c, int e)
{
    if (c->state == OPENING) {
        if (e == 1)
            c->state = OPEN;
        else if (++c->retries > 2)
            c->state = CLOSING;
    } else if (c->state == OPEN) {
        if (e == 2)
            c->state = CLOSING;
        else
            tx(c->id);
    }
}

int main(void)
{
    for (;;) {
        int e = event();
        if (e == 0)
            new_conn(e);
        for (struct conn *c = list; c; c = c->next)
            step(c, e);
        while (list && list->state == CLOSING) {
            struct conn *gone = list;
            list = list->next;
            free(gone);
        }
#ifdef ELSEWHERE
        /* Objects that are not in the heap: a variable, an element, what lies in a pool of bytes, and copies. */
        struct conn *last = (struct conn *)pool + 1;
        if (e == 5)
            spare.state = 5;
        if (e == 6)
            pair[event() & 1].state = 6;
        if (e == 7)
            last->state = 7;
        if (e == 8)
            pair[0] = spare;
        if (e == 9)
            memset(&spare, 0, sizeof spare);
        if (e == 10) {
            int *state = &pair[1].state;
            *state = 10;
        }
#endif
    }
}
