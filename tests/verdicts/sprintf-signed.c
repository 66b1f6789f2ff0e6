// EXPECT: false(unreach-call)
// TWIN: true
// A sign takes a character, and a width is a minimum.
#include <stdio.h>
#include "h.h"
int main(void) {
    int n = __VERIFIER_nondet_int();
    char b[8];
    if (n < -99 || n > 999)
        return 0;
    int length = snprintf(b, sizeof b, "%2d%%", n);
#ifndef TWIN
    if (length == 4 && n > 0)
#else
    if (length < 3 || length > 4 || (n < -9 && length != 4) || (n > -10 && n < 100 && length != 3))
#endif
        reach_error();
    return 0;
}
