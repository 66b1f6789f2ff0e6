// EXPECT: true
// TWIN: false(pointer)
// Memory of alloca outlives the block, but not the function.
#include <alloca.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int *p = 0;
    for (int i = 0; i < 3; i++) {
        int x = i;
#ifndef TWIN
        p = alloca(sizeof *p);
#else
        p = &x;
#endif
        *p = x;
    }
    if (H(n))
        return *p;
    return 0;
}
