// EXPECT: false(pointer)
// TWIN: true
// An array in a result that nobody keeps dies with the full expression.
#include "h.h"
struct box { int a[2]; };
static struct box make(int x) {
    struct box b = {{x, x + 1}};
    return b;
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    struct box kept = make(1);
#ifndef TWIN
    int *p = make(2).a; kept.a[0] = 0;
#else
    int *p = kept.a;
#endif
    if (H(n))
        return p[1];
    return 0;
}
