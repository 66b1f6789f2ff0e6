// EXPECT: false(bounds)
// TWIN: true
// No header declares gets any more, and it still writes beyond its buffer.
#include <stdio.h>
#include "h.h"
int main(void) {
    char b[8];
    unsigned n = __VERIFIER_nondet_uint();
    if (H(n)) {
#ifndef TWIN
        gets(b);
#else
        if (!fgets(b, sizeof b, stdin))
            return 1;
#endif
    }
    return 0;
}
