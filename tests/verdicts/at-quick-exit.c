// EXPECT: false(assertion)
// TWIN: true
// What is registered for a quick exit runs there, and only there.
#include <assert.h>
#include <stdlib.h>
#include "h.h"
static int done;
static void last(void) { assert(done); }
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    at_quick_exit(last);
    if (H(n)) {
#ifdef TWIN
        done = 1;
#endif
        quick_exit(0);
    }
    return 0;
}
