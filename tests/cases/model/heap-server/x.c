#include <stdlib.h>
int request(void); void opened(void); void closed(void); void refused(void); void bad(void);
struct conn { struct conn *self; void (*done)(void); };
static void finish(void) { closed(); }
static struct conn *new_conn(void) {
    struct conn *c = calloc(1, sizeof *c);
    if (!c) return 0;
    if (c->done || c->self) bad();
    c->self = c; c->done = finish;
    return c;
}
int main(void) {
    struct conn *now = 0;
    for (;;) {
        if (!now) {
            now = new_conn();
            if (!now) { refused(); continue; }
            opened();
        } else if (request()) {
            if (now->self != now) bad();
            now->done();
            free(now);
            now = 0;
        }
    }
}
