void _cwolf_event(const char *); int __VERIFIER_nondet_int(void);
struct s { int state, tries; };
static void fire(struct s *s) { s->tries++; _cwolf_event("go"); }
static void start(struct s *s) {
    if (s->state != 0) return;
    s->state = 1;
    fire(s);
}
static void stop(struct s *s) {
#ifndef WRONG
    s->state = 2;
#endif
    _cwolf_event("stop");
}
static void reset(struct s *s) { if (s->state == 2) { s->state = 0; _cwolf_event("reset"); } }
int main(void) {
    static struct s s;
    for (;;)
        switch (__VERIFIER_nondet_int()) {
        case 0: start(&s); break;
        case 1: stop(&s); break;
        case 2: reset(&s); break;
        }
}
