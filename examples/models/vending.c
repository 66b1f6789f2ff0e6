/* A vending machine whose states are functions: each takes a coin, a choice or a cancel, and returns the next one.
 * Between two sales there is a coin:
 * property: G (({tea} \/ {coffee}) -> X ((not ({tea} \/ {coffee})) W {coin})) */
void _cwolf_event(const char *label);
int __VERIFIER_nondet_int(void);

enum input { COIN, TEA, COFFEE, CANCEL };

struct machine;
typedef void (*handler)(struct machine *, enum input);

struct machine {
    handler now;
    int cups;
};

static void idle(struct machine *m, enum input in);
static void half_paid(struct machine *m, enum input in);
static void paid(struct machine *m, enum input in);
static void empty(struct machine *m, enum input in);

static void sell(struct machine *m, const char *what)
{
    if (what[0] == 't')
        _cwolf_event("tea");
    else
        _cwolf_event("coffee");
    m->cups--;
    m->now = m->cups ? idle : empty;
    if (!m->cups)
        _cwolf_event("empty");
}

static void idle(struct machine *m, enum input in)
{
    if (in == COIN) {
        _cwolf_event("coin");
        m->now = half_paid;
    }
}

static void half_paid(struct machine *m, enum input in)
{
    switch (in) {
    case COIN: _cwolf_event("coin"); m->now = paid; break;
    case CANCEL: _cwolf_event("return one"); m->now = idle; break;
    default: break;
    }
}

static void paid(struct machine *m, enum input in)
{
    switch (in) {
    case COIN: _cwolf_event("coin"); _cwolf_event("return one"); break;
    case TEA: sell(m, "tea"); break;
    case COFFEE: sell(m, "coffee"); break;
    case CANCEL: _cwolf_event("return two"); m->now = idle; break;
    }
}

static void empty(struct machine *m, enum input in)
{
    if (in == CANCEL) {
        m->cups = 3;
        m->now = idle;
        _cwolf_event("fill");
    }
}

int main(void)
{
    struct machine m = { idle, 3 };
    for (;;) {
        unsigned in = __VERIFIER_nondet_int();
        if (in <= CANCEL)
            m.now(&m, in);
    }
}
