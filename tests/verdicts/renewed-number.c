// EXPECT: false
// TWIN: true
// The addresses of two objects that live at the same time are two numbers.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    uintptr_t before = 0;
    int *p = 0;
    while (__VERIFIER_nondet_int()) {
        before = (uintptr_t)p;
        p = malloc(sizeof *p);
        *p = 5;
#ifndef TWIN
        if (H(n)) assert((uintptr_t)p == before);
#else
        if (H(n)) assert(*(int *)(uintptr_t)p == 5);
#endif
    }
    return 0;
}
