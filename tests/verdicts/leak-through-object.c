// EXPECT: false(leak)
// TWIN: true
// FLAGS: --property leak
// An object that only a freed object pointed to is lost.
#include <stdlib.h>
#include "h.h"
struct node { struct node *next; int x; };
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    struct node *p = malloc(sizeof *p);
    p->next = 0;
    if (H(n)) {
        p->next = malloc(sizeof *p);
        p->next->next = 0;
    }
#ifdef TWIN
    free(p->next);
#endif
    free(p);
    return 0;
}
