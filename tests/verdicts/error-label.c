// EXPECT: false(unreach-call)
// TWIN: true
// FLAGS: --prop G ! label(ERROR)
// Control at the label ERROR breaks the property of SV-COMP.
#include "h.h"
int main(void) {
    int x = __VERIFIER_nondet_int();
#ifndef TWIN
    if (x == 3)
#else
    if (x != x)
#endif
        goto ERROR;
    return 0;
ERROR:
    return 1;
}
