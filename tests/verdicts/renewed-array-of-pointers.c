// EXPECT: false
// TWIN: true
// Pointers in an array lead to the objects that they led to.
#include <assert.h>
#include <stdlib.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int *all[8] = {0};
    unsigned count = 0;
    while (count < 8 && __VERIFIER_nondet_int()) {
        int *p = malloc(sizeof *p);
        *p = 4;
        all[count++] = p;
#ifndef TWIN
        if (H(n)) *all[0] = 9;
        if (count > 2) assert(*all[0] == 4);
#else
        if (H(n) && count > 1) *all[0] = 9;
        assert(*p == 4);
#endif
    }
    return 0;
}
