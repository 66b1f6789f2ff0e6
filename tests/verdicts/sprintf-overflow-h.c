// EXPECT: false
// TWIN: true
// The length of what sprintf writes depends on a value.
#include <stdio.h>
#include "h.h"
int main(void) {
    char b[10];
    unsigned n = __VERIFIER_nondet_uint();
#ifndef TWIN
    sprintf(b, "%u", n);
#else
    snprintf(b, sizeof b, "%u", n);
#endif
    return 0;
}
