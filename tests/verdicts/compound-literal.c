// EXPECT: false(pointer)
// TWIN: true
// A compound literal in a block dies at its end.
#include "h.h"
struct pair { int a, b; };
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    struct pair *p = 0;
    if (n % 2) {
#ifndef TWIN
        p = &(struct pair){1, 2};
#else
        static struct pair kept; p = &kept;
#endif
        p->a++;
    }
    if (n % 2 && H(n - 1))
        return p->b;
    return 0;
}
