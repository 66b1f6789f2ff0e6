// EXPECT: true
// TWIN: false(assertion)
// sprintf returns how much it wrote.
#include <assert.h>
#include <stdio.h>
#include "h.h"
int main(void) {
    char b[8];
#ifndef TWIN
    assert(sprintf(b, "%d", 12345) == 5);
#else
    assert(sprintf(b, "%d", 12345) == 4);
#endif
    return 0;
}
