// EXPECT: false(assertion)
// TWIN: true
// A function that nobody knows may do anything, whatever its name starts with.
#include <assert.h>
#include "h.h"
#ifdef TWIN
static
#endif
unsigned mode;
extern void __cwolf_poke(void);
extern void __slic_poke(void);
int main(void) {
    mode = 0;
    __cwolf_poke();
    assert(!H(mode));
    mode = 0;
    __slic_poke();
    assert(!H(mode));
    return 0;
}
