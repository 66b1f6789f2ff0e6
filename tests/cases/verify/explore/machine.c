#include <stdlib.h>
extern int nondet(void);
extern void reach_error(void);
struct session { int state; int packets; };
int main(void) {
  struct session *s = malloc(sizeof *s);
  int open = 0;
  s->state = 0;
  s->packets = 0;
  while (nondet()) {
    switch (s->state) {
    case 0: open = 1; s->state = 1; break;
    case 1: s->packets++; if (nondet()) s->state = 3; break;
#ifdef BROKEN
    case 3: if (nondet()) s->state = 0; else s->state = 2; break;
#else
    case 3: open = 0; s->state = 0; break;
#endif
    case 2: reach_error();
    }
    if (s->state == 0 && open) reach_error();
  }
  free(s);
  return 0;
}
