extern int in(void);
extern void opened(void), closed(void), locked(void), unlocked(void), alarm(void);
enum { OPEN, CLOSED, LOCKED, STATES };
enum { E_OPEN, E_CLOSE, E_LOCK, E_UNLOCK, EVENTS };
struct transition {
    unsigned char next;
    void (*act)(void);
};
static const struct transition table[STATES][EVENTS] = {
    [OPEN] = {{OPEN, 0}, {CLOSED, closed}, {OPEN, alarm}, {OPEN, 0}},
    [CLOSED] = {{OPEN, opened}, {CLOSED, 0}, {LOCKED, locked}, {CLOSED, 0}},
    [LOCKED] = {{LOCKED, alarm}, {LOCKED, 0}, {LOCKED, 0}, {CLOSED, unlocked}},
};
int main(void)
{
    unsigned s = OPEN;
    for (;;) {
        unsigned e = (unsigned)in();
        if (e >= EVENTS)
            continue;
        const struct transition *t = &table[s][e];
        s = t->next;
        if (t->act)
            t->act();
    }
}
