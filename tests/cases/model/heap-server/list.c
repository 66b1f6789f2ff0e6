#include <stdlib.h>
int request(void); void opened(void); void closed(void); void refused(void); void bad(void);
struct conn { struct conn *next; void (*done)(void); };
static struct conn *all;
int main(void) {
    for (;;) {
        if (request()) {
            struct conn *c = malloc(sizeof *c);
            c->done = opened; c->next = all; all = c;
            c->done();
            c->done = closed;
        } else if (all) {
            struct conn *c = all;
            all = c->next;
            c->done();
            free(c);
        }
    }
}
