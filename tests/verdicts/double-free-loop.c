// EXPECT: false(pointer)
// TWIN: true
// Each round allocates its own object.
#include <stdlib.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    char *p[3];
    for (int i = 0; i < 3; i++)
        p[i] = malloc(4);
    for (int i = 0; i < 3; i++)
        if (i != 1)
            free(p[i]);
    if (H(n))
#ifndef TWIN
        free(p[2]);
#else
        free(p[1]);
#endif
    return 0;
}
