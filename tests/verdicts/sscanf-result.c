// EXPECT: true
// TWIN: false(assertion)
// sscanf returns how much it read.
#include <assert.h>
#include <stdio.h>
#include "h.h"
int main(void) {
    int x = 0;
#ifndef TWIN
    assert(sscanf("12 x", "%d", &x) == 1 && x == 12);
#else
    assert(sscanf("12 x", "%d", &x) == 2);
#endif
    return 0;
}
