// EXPECT: false(pointer)
// TWIN: true
// A computed goto with an address that is no label's.
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    void *table[] = {&&stop, &&more, 0};
#ifndef TWIN
    goto *table[H(n) ? 2 : n % 2];
#else
    goto *table[H(n) ? 1 : n % 2];
#endif
more:
    return 1;
stop:
    return 0;
}
