/* Two lifts of one group: a call goes to one that is free, and to one only.
 * A call is taken once:
 * property: G ({"first takes it","second takes it"} -> X ((not {"first takes it","second takes it"}) W {call})) */
#include <stdbool.h>

void _cwolf_event(const char *label);
int __VERIFIER_nondet_int(void);

enum task { FREE, RUNNING, STOPPED };

struct lift {
    enum task task;
    int at;
};

static struct lift lifts[2];
static bool waiting;
static int where;

static int distance(const struct lift *l)
{
    int d = l->at - where;
    return d < 0 ? -d : d;
}

static struct lift *choose(void)
{
    struct lift *best = 0;
    for (struct lift *l = lifts; l < lifts + 2; l++)
        if (l->task == FREE && (!best || distance(l) < distance(best)))
            best = l;
    return best;
}

static void call(int storey)
{
    if (waiting)
        return;
    waiting = true;
    where = storey;
    _cwolf_event("call");
}

static void dispatch(void)
{
    struct lift *l = waiting ? choose() : 0;
    if (!l)
        return;
    waiting = false;
    l->task = RUNNING;
    l->at = where;
    _cwolf_event(l == &lifts[0] ? "first takes it" : "second takes it");
}

static void advance(struct lift *l)
{
    switch (l->task) {
    case FREE: break;
    case RUNNING: l->task = STOPPED; _cwolf_event("open"); break;
    case STOPPED: l->task = FREE; _cwolf_event("close"); break;
    }
}

int main(void)
{
    for (;;) {
        switch (__VERIFIER_nondet_int()) {
        case 0: call(0); break;
        case 1: call(1); break;
        case 2: call(2); break;
        case 3: dispatch(); break;
        case 4: advance(&lifts[0]); break;
        case 5: advance(&lifts[1]); break;
        }
    }
}
