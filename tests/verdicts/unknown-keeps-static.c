// EXPECT: false(assertion)
// TWIN: true
// A pointer that was given once may be used by a later call, also of another function.
#include <assert.h>
#include "h.h"
static unsigned mode, other;
extern void reg(unsigned *), poke(void);
int main(void) {
#ifndef TWIN
    reg(&mode);
#else
    reg(&other);
#endif
    mode = 0;
    poke();
    assert(!H(mode));
    return (int)other;
}
