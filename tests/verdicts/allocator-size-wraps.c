// EXPECT: false(bounds)
// TWIN: true
// The size that a caller gives wraps where it is computed and converted.
#include <stdlib.h>
#include "h.h"
static char *elements(unsigned count) { return malloc(count * 4u); }
static char *bytes(unsigned count) { return malloc((unsigned char)count); }
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
#ifndef TWIN
    char *a = elements(0x40000001u), *b = bytes(260);
#else
    char *a = elements(2), *b = bytes(8);
#endif
    char *c = elements(1), *d = bytes(4);
    c[3] = d[3] = 1;
    if (H(n))
        a[5] = b[5] = 1;
    return 0;
}
