void on(void); void off(void); void stop(void); int input(void);
static void go_on(void); static void go_off(void);
struct state { const char *name; void (*next)(void); };
static struct state states[] = {{"off", go_on}, {"on", go_off}};
static struct { struct state *now; void (*act)(void); } m = {states, 0};
static void go_on(void) { m.now = &states[1]; on(); }
static void go_off(void) { m.now = states; off(); }
int main(void) {
    for (;;) {
        m.act = m.now->next;
        if (m.now->name[1] == 'x') stop();
        switch (input()) {
        case 0: m.act(); break;
        case 1: return 0;
        }
    }
}
