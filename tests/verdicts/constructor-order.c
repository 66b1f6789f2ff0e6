// EXPECT: true
// TWIN: false(assertion)
// Constructors run by priority.
#include <assert.h>
#include "h.h"
static int x = 1;
__attribute__((constructor(202))) static void second(void) { x *= 10; }
__attribute__((constructor(201))) static void first(void) { x += 2; }
int main(void) {
#ifndef TWIN
    assert(x == 30);
#else
    assert(x == 12);
#endif
    return 0;
}
