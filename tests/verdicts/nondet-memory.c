// EXPECT: false(assertion)
// TWIN: true
// SV-COMP has a function that gives memory any contents.
#include <assert.h>
#include <stddef.h>
#include "h.h"
extern void __VERIFIER_nondet_memory(void *, size_t);
struct pair { int a, b; };
int main(void) {
    struct pair p = {1, 2};
    int other = 3;
#ifndef TWIN
    __VERIFIER_nondet_memory(&p, sizeof p);
#else
    __VERIFIER_nondet_memory(&other, sizeof other);
#endif
    assert(p.b == 2);
    return other == 3;
}
