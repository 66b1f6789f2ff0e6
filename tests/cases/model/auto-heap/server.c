#include <stdlib.h>
extern int poll_event(void); extern void accept_conn(void); extern void reply(void); extern void close_conn(void); extern void drop_conn(void);
enum st { NEW, AUTH, READY };
struct conn { enum st state; int tries; long bytes; struct conn *next; };
static struct conn *new_conn(void) { struct conn *c = malloc(sizeof *c); if (!c) exit(1); c->state = NEW; c->tries = 0; c->bytes = 0; c->next = 0; return c; }
static int login(struct conn *c, int ok) { c->bytes += ok; if (ok) { c->state = AUTH; return 1; } return ++c->tries < 3; }
int main(void) {
  for (;;) {
    struct conn *c = new_conn();
    accept_conn();
    for (;;) {
      int e = poll_event();
      if (c->state == NEW) { if (!login(c, e == 1)) { drop_conn(); break; } }
      else if (c->state == AUTH) { if (e == 2) c->state = READY; }
      else { if (e == 3) { close_conn(); break; } reply(); c->bytes++; }
    }
    free(c);
  }
}
