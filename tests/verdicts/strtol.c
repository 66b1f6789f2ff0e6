// EXPECT: true
// TWIN: false(assertion)
// strtol reads a number.
#include <assert.h>
#include <stdlib.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    assert(strtol("  -42x", 0, 10) == -42);
#else
    assert(strtol("  -42x", 0, 10) == 42);
#endif
    return 0;
}
