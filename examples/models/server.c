/* A server with up to two connections at a time, each allocated when it is accepted and freed when it is closed. A connection
 * must log in before it may ask for data.
 * Nobody is served before somebody has logged in:
 * property: (not {serve}) W {login} */
#include <stdlib.h>

void _cwolf_event(const char *label);
int __VERIFIER_nondet_int(void);

enum phase { GREETING, READY, BUSY };

struct connection {
    enum phase phase;
    int tries;
};

static struct connection *table[2];

static struct connection *accept_one(void)
{
    struct connection *c = malloc(sizeof *c);
    if (!c)
        return 0;
    c->phase = GREETING;
    c->tries = 0;
    _cwolf_event("accept");
    return c;
}

static void close_one(int slot)
{
    free(table[slot]);
    table[slot] = 0;
    _cwolf_event("close");
}

static void login(int slot, int right)
{
    struct connection *c = table[slot];
    if (c->phase != GREETING)
        return;
    if (right) {
        c->phase = READY;
        _cwolf_event("login");
    } else if (++c->tries == 2) {
        close_one(slot);
    } else {
        _cwolf_event("refuse");
    }
}

static void request(int slot)
{
    struct connection *c = table[slot];
    switch (c->phase) {
    case GREETING:
        close_one(slot);
        break;
    case READY:
        c->phase = BUSY;
        _cwolf_event("serve");
        break;
    case BUSY:
        _cwolf_event("wait");
        break;
    }
}

static void done(int slot)
{
    if (table[slot]->phase == BUSY) {
        table[slot]->phase = READY;
        _cwolf_event("done");
    }
}

int main(void)
{
    for (;;) {
        int slot = __VERIFIER_nondet_int() ? 1 : 0;
        if (!table[slot]) {
            table[slot] = accept_one();
            continue;
        }
        switch (__VERIFIER_nondet_int()) {
        case 0: login(slot, 1); break;
        case 1: login(slot, 0); break;
        case 2: request(slot); break;
        case 3: done(slot); break;
        case 4: close_one(slot); break;
        }
    }
}
