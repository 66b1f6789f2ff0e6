// EXPECT: false(leak)
// TWIN: true
// FLAGS: --property leak
// What was lost before exit is lost; what a local variable leads to there is not.
#include <stdlib.h>
#include "h.h"
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    char *p = malloc(3);
    if (H(n)) {
#ifndef TWIN
        p = 0;
#endif
        exit(1);
    }
    free(p);
    return 0;
}
