#include <stdbool.h>
/* A timer that sends again after 1, 2 and 4 ticks; what happened is a tagged union. */
struct event { enum { SEND, ACK, TICK } kind; union { unsigned char seq; unsigned short ticks; } u; };
struct timer { bool running; unsigned short left, interval; };
extern void wait_event(struct event *e);
extern void send(void), resend(void), give_up(void), done(void);
static struct timer t;

static void tick(unsigned short n)
{
    if (!t.running)
        return;
    if (n < t.left) {
        t.left -= n;
        return;
    }
    if (t.interval >= 4) {
        t.running = false;
        give_up();
        return;
    }
    t.interval *= 2;
    t.left = t.interval;
    resend();
}

int main(void)
{
    struct event e;
    for (;;) {
        wait_event(&e);
        if (e.kind == SEND && !t.running) {
            t = (struct timer){ .running = true, .left = 1, .interval = 1 };
            send();
        } else if (e.kind == ACK && t.running) {
            t.running = false;
            done();
        } else if (e.kind == TICK)
            tick(e.u.ticks);
    }
}
