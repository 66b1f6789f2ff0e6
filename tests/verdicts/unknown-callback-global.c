// EXPECT: unknown or false(assertion)
// TWIN: true
// A function whose address lies in a variable that other files can name may be called.
#include <assert.h>
#include "h.h"
static int x;
static void set(void) { x = 1; }
#ifdef TWIN
static
#endif
void (*const run)(void) = set;
extern void unknown(void);
int main(void) {
    unknown();
    assert(x == 0);
    if (__VERIFIER_nondet_int())
        run();
    return 0;
}
