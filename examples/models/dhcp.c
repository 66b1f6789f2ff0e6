/* A client that leases an address, after RFC 2131. Its lease and its timers are allocated: a timer is in a list until it expires or
 * is cancelled.
 * An address is used only after a server has acknowledged it:
 * property: (not {bound}) W {ack} */
#include <stdlib.h>

void _cwolf_event(const char *label);
int __VERIFIER_nondet_int(void);

enum state { INIT, SELECTING, REQUESTING, BOUND, RENEWING, REBINDING };
enum message { OFFER, ACK, NAK, NOTHING };
enum kind { RETRANSMIT, T1, T2, EXPIRY };

struct client;

struct timer {
    enum kind kind;
    struct client *owner;
    struct timer *next;
};

struct lease {
    unsigned address;
    unsigned server;
    int renewals;
};

struct client {
    enum state state;
    int attempts;
    struct lease *lease;
    struct timer *timers;
};

static void start(struct client *c, enum kind kind)
{
    struct timer *t = malloc(sizeof *t);
    if (!t)
        exit(1);
    t->kind = kind;
    t->owner = c;
    t->next = c->timers;
    c->timers = t;
}

static void cancel(struct client *c)
{
    while (c->timers) {
        struct timer *t = c->timers;
        c->timers = t->next;
        free(t);
    }
}

static void reset(struct client *c)
{
    cancel(c);
    free(c->lease);
    c->lease = NULL;
    c->attempts = 0;
    c->state = INIT;
}

static void discover(struct client *c)
{
    _cwolf_event("discover");
    c->state = SELECTING;
    start(c, RETRANSMIT);
}

static void request(struct client *c)
{
    _cwolf_event("request");
    start(c, RETRANSMIT);
}

static void receive(struct client *c, enum message m)
{
    switch (c->state) {
    case SELECTING:
        if (m != OFFER)
            return;
        cancel(c);
        c->lease = calloc(1, sizeof *c->lease);
        if (!c->lease)
            exit(1);
        c->lease->address = (unsigned)__VERIFIER_nondet_int();
        c->lease->server = (unsigned)__VERIFIER_nondet_int();
        c->state = REQUESTING;
        request(c);
        return;
    case REQUESTING:
    case RENEWING:
    case REBINDING:
        if (m == ACK) {
            _cwolf_event("ack");
            cancel(c);
            c->attempts = 0;
            c->lease->renewals += c->state != REQUESTING;
            c->state = BOUND;
            start(c, T1);
            _cwolf_event("bound");
        } else if (m == NAK) {
            _cwolf_event("nak");
            reset(c);
        }
        return;
    default:
        return;
    }
}

static void expire(struct client *c)
{
    struct timer *t = c->timers;
    if (!t)
        return;
    enum kind kind = t->kind;
    c = t->owner;
    c->timers = t->next;
    free(t);
    switch (kind) {
    case RETRANSMIT:
        if (++c->attempts == 3) {
            _cwolf_event("give up");
            reset(c);
        } else if (c->state == SELECTING) {
            discover(c);
        } else {
            request(c);
        }
        break;
    case T1:
        c->state = RENEWING;
        start(c, T2);
        _cwolf_event("renew");
        break;
    case T2:
        c->state = REBINDING;
        start(c, EXPIRY);
        _cwolf_event("rebind");
        break;
    case EXPIRY:
        _cwolf_event("expired");
        reset(c);
        break;
    }
}

int main(void)
{
    struct client *c = calloc(1, sizeof *c);
    if (!c)
        return 1;
    for (;;) {
        if (c->state == INIT)
            discover(c);
        if (__VERIFIER_nondet_int())
            receive(c, (enum message)(__VERIFIER_nondet_int() & 3));
        else
            expire(c);
    }
}
