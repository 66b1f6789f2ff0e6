// EXPECT: false(unreach-call)
// TWIN: true
// memset fills memory whose size comes out of a loop.
#include <stdlib.h>
#include <string.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    unsigned k = 0;
    while (k < 31 && (n >> k & 1))
        k++;
    char *t = malloc(k + 1);
#ifndef TWIN
    memset(t, 5, k + 1);
#else
    memset(t, 0, k + 1);
#endif
    if (t[0])
        reach_error();
    free(t);
    return 0;
}
