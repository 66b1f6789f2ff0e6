// EXPECT: false
// TWIN: true
// realloc in a loop keeps what was written and grows as asked.
#include <stdlib.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    unsigned size = 1;
    int *p = malloc(sizeof *p);
    p[0] = 0;
    for (unsigned i = 1; i < 4; i++) {
        p = realloc(p, ++size * sizeof *p);
        p[i] = i;
    }
    if (H(n))
#ifndef TWIN
        return p[size];
#else
        return p[size - 1];
#endif
    return 0;
}
