// EXPECT: false(leak)
// TWIN: true
// FLAGS: --property leak
// The last pointer to an allocated object is overwritten.
#include <stdlib.h>
#include "h.h"
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    int *p = malloc(4), *q = malloc(8);
    if (H(n)) {
#ifdef TWIN
        free(p);
#endif
        p = 0;
    }
    free(q);
    free(p);
    return 0;
}
