// EXPECT: true
// TWIN: false(assertion)
// Constructors run before main.
#include <assert.h>
#include "h.h"
static int x;
__attribute__((constructor)) static void start(void) { x = 1; }
int main(void) {
#ifndef TWIN
    assert(x == 1);
#else
    assert(x == 0);
#endif
    return 0;
}
