// EXPECT: true
// TWIN: false(overflow)
// FLAGS: --property overflow
// Atomic functions wrap (C11 7.17.7.5); += on an atomic variable does not.
#include "h.h"
#include <limits.h>
#include <stdatomic.h>
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    atomic_int a = H(n) ? INT_MAX : 4;
    signed char c = H(n) ? 127 : 4;
#ifndef TWIN
    atomic_fetch_add(&a, 1);
    __sync_add_and_fetch(&c, 1);
    return a == INT_MIN && c == -128;
#else
    a += 1;
    return 0;
#endif
}
