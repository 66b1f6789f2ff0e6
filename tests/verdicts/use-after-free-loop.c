// EXPECT: false(pointer)
// TWIN: true
// Freeing one object of a loop leaves the others alone.
#include <stdlib.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int *p[4];
    unsigned count = 0;
    while (count < 4) {
        p[count] = malloc(sizeof **p);
        *p[count] = count;
        count++;
    }
    free(p[n % 2]);
    if (H(n))
#ifndef TWIN
        return *p[n % 2];
#else
        return *p[2 + n % 2];
#endif
    return 0;
}
