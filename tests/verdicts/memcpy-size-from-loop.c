// EXPECT: false(unreach-call)
// TWIN: true
// memcpy copies memory whose size comes out of a loop.
#include <stdlib.h>
#include <string.h>
#include "h.h"
static const char source[32] = {1, 2, 3};
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    unsigned k = 0;
    while (k < 31 && (n >> k & 1))
        k++;
    char *t = malloc(k + 1);
    memcpy(t, source, k + 1);
#ifndef TWIN
    if (t[0])
#else
    if (t[0] != 1)
#endif
        reach_error();
    free(t);
    return 0;
}
