// EXPECT: false(assertion)
// TWIN: true
// The same for a local variable that is still alive.
#include <assert.h>
#include "h.h"
extern void reg(unsigned *), poke(void);
static void work(unsigned *mode) {
    *mode = 0;
    poke();
    assert(!H(*mode));
}
int main(void) {
    unsigned mode = 1, other = 2;
#ifndef TWIN
    reg(&mode);
#else
    reg(&other);
#endif
    work(&mode);
    return 0;
}
