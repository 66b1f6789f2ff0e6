// EXPECT: false
// TWIN: true
// A number that was the address of an earlier object leads back to that one.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    uintptr_t first = 0;
    int *p = 0;
    for (int turn = 0; __VERIFIER_nondet_int(); turn = 1) {
        p = malloc(sizeof *p);
        *p = turn;
        if (!turn) first = (uintptr_t)p;
#ifndef TWIN
        if (H(n) && turn) assert(*(int *)first == 1);
#else
        if (H(n) && !turn) assert(*(int *)first == 0);
#endif
    }
    return 0;
}
