// EXPECT: true
// TWIN: false
// Elements of a vector are apart: no carry goes from one to the next.
#include <assert.h>
#include "h.h"
typedef unsigned char bytes __attribute__((vector_size(4)));
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    bytes v = (bytes)n;
    v += 1;
#ifndef TWIN
    assert(v[1] == (unsigned char)((n >> 8) + 1));
    assert(((unsigned)v >> 16 & 255) == ((n >> 16) + 1 & 255));
#else
    assert((unsigned)v == n + 0x01010101u);
#endif
    return 0;
}
