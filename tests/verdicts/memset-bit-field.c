// EXPECT: true
// TWIN: false(assertion)
// A byte that fills memory is not shifted for a bit-field that starts in its middle.
#include <assert.h>
#include <string.h>
#include "h.h"
int main(void) {
    struct { unsigned a : 3, b : 3, c : 10; } s;
    memset(&s, 0x0f, sizeof s);
#ifndef TWIN
    assert(s.a == 7 && s.b == 1);
#else
    assert(s.b == 7);
#endif
    return 0;
}
