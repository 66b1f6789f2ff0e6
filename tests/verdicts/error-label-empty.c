// EXPECT: false(unreach-call)
// TWIN: true
// FLAGS: --prop G ! label(ERROR)
// Also when the label stands before an empty statement.
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
ERROR:;
}
