// EXPECT: false(memcleanup)
// TWIN: true
// FLAGS: --prop G valid-memcleanup
// A global pointer keeps memory from being lost, but it must be freed.
#include <stdlib.h>
#include "h.h"
static int *kept;
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    kept = malloc(16);
    if (H(n)) {
#ifndef TWIN
        return 1;
#endif
    }
    free(kept);
    return 0;
}
