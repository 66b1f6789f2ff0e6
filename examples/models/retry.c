/* A sender that repeats a request until it is answered, with a pause that doubles, and gives up after three times.
 * Who has given up sends nothing:
 * property: G ({"give up"} -> X ((not {send}) W {reset})) */
void _cwolf_event(const char *label);
int __VERIFIER_nondet_int(void);

enum status { IDLE, WAITING, FAILED };

struct timer {
    int left;
    int running;
};

struct sender {
    enum status status;
    int attempts;
    int pause;
    struct timer timer;
};

static void start(struct timer *t, int ticks)
{
    t->left = ticks;
    t->running = 1;
}

static int tick(struct timer *t)
{
    if (!t->running)
        return 0;
    if (--t->left > 0)
        return 0;
    t->running = 0;
    return 1;
}

static void transmit(struct sender *s)
{
    s->attempts++;
    _cwolf_event("send");
    start(&s->timer, s->pause);
    s->pause *= 2;
}

static void request(struct sender *s)
{
    if (s->status != IDLE)
        return;
    s->status = WAITING;
    s->attempts = 0;
    s->pause = 1;
    transmit(s);
}

static void answer(struct sender *s)
{
    if (s->status != WAITING)
        return;
    s->status = IDLE;
    s->timer.running = 0;
    _cwolf_event("done");
}

static void clock(struct sender *s)
{
    if (!tick(&s->timer))
        return;
    if (s->attempts < 3) {
        transmit(s);
    } else {
        s->status = FAILED;
        _cwolf_event("give up");
    }
}

static void reset(struct sender *s)
{
    if (s->status == FAILED) {
        s->status = IDLE;
        _cwolf_event("reset");
    }
}

int main(void)
{
    static struct sender s;
    for (;;) {
        switch (__VERIFIER_nondet_int()) {
        case 0: request(&s); break;
        case 1: answer(&s); break;
        case 2: clock(&s); break;
        case 3: reset(&s); break;
        }
    }
}
