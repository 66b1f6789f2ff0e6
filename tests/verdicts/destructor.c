// EXPECT: false(assertion)
// TWIN: true
// Destructors run after main.
#include <assert.h>
#include "h.h"
static int x = 1;
__attribute__((destructor)) static void stop(void) { assert(x == 1); }
int main(void) {
#ifndef TWIN
    x = 2;
#else
    x = 1;
#endif
    return 0;
}
