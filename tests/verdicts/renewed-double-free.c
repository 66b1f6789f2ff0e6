// EXPECT: false
// TWIN: true
// The object before the newest is freed once.
#include <stdlib.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int *p = 0, *last = 0;
    while (__VERIFIER_nondet_int()) {
        last = p;
        p = malloc(sizeof *p);
        *p = 1;
        free(last);
#ifndef TWIN
        if (H(n)) free(last);
#endif
    }
    free(p);
    return 0;
}
