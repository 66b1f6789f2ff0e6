#include <stdlib.h>
struct conn { int id, state; };
int input(void);
void reply(struct conn *c) { }
int main(void)
{
    struct conn *c = malloc(sizeof *c);
    c->id = 3;
    c->state = 0;
    for (;;) {
        if (input())
            c->state = !c->state;
        reply(c);
    }
}
