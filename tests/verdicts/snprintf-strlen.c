// EXPECT: true
// TWIN: false(assertion)
// What snprintf writes is a string within the limit.
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include "h.h"
int main(void) {
    char b[8];
    snprintf(b, sizeof b, "%d", __VERIFIER_nondet_int());
#ifndef TWIN
    assert(strlen(b) < 8);
#else
    assert(strlen(b) < 4);
#endif
    return 0;
}
