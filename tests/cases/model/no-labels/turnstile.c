#include <stdlib.h>
#include <string.h>
enum state { LOCKED, UNLOCKED, ALARM, STATES };
enum event { COIN, PUSH, FORCE, RESET, EVENTS };
struct ticket { char kind[8]; int rides; };
struct turnstile { enum state state; struct ticket *ticket; unsigned long count; };
typedef void (*handler)(struct turnstile *);
int next_event(void);
int coin_value(void);
void unlock(void);
void lock(void);
void ring(void);
void refund(void);
static void on_coin(struct turnstile *t) {
    int value = coin_value();
    if (value < 5) {
        refund();
        return;
    }
    t->ticket = malloc(sizeof *t->ticket);
    strcpy(t->ticket->kind, value >= 20 ? "day" : "single");
    t->ticket->rides = value >= 20 ? 3 : 1;
    t->state = UNLOCKED;
    unlock();
}
static void on_push(struct turnstile *t) {
    t->count++;
    if (--t->ticket->rides == 0) {
        free(t->ticket);
        t->ticket = NULL;
        t->state = LOCKED;
        lock();
    }
}
static void on_force(struct turnstile *t) {
    t->state = ALARM;
    ring();
    free(t->ticket);
    t->ticket = NULL;
}
static void on_reset(struct turnstile *t) {
    t->state = LOCKED;
    lock();
}
static void ignore(struct turnstile *t) { (void)t; }
static const handler table[STATES][EVENTS] = {
    [LOCKED] = {on_coin, ignore, on_force, ignore},
    [UNLOCKED] = {ignore, on_push, on_force, ignore},
    [ALARM] = {ignore, ignore, ignore, on_reset},
};
int main(void) {
    struct turnstile t;
    memset(&t, 0, sizeof t);
    for (;;) {
        int e = next_event();
        if (e < 0)
            return 0;
        if (e < EVENTS)
            table[t.state][e](&t);
    }
}
