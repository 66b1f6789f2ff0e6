// EXPECT: false(assertion)
// TWIN: true
// Of what was given, only what is alive may change: another call's variable is another variable.
#include <assert.h>
#include "h.h"
extern void reg(unsigned *), poke(void);
static void give(void) {
    unsigned mode = 1;
    reg(&mode);
}
static void keep(unsigned *to) { *to = 0; }
int main(void) {
    unsigned mode = 0;
    give();
#ifndef TWIN
    reg(&mode);
#endif
    keep(&mode);
    poke();
    assert(!H(mode));
    return 0;
}
