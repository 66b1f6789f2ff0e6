// EXPECT: false(bounds)
// TWIN: true
// A function that allocates is called by its name, with other sizes, and through a pointer.
#include <stdlib.h>
#include "h.h"
static char *make(unsigned size) { return malloc(size); }
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    char *(*maker)(unsigned) = make;
    char *a = make(8), *b = make(16);
    a[7] = b[15] = 1;
#ifndef TWIN
    char *c = maker(2);
#else
    char *c = maker(6);
#endif
    if (H(n))
        c[5] = 1;
    return 0;
}
