// EXPECT: false(bounds)
// TWIN: true
// The arguments of a library function count, however it is called.
#include <string.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    void *(*fill)(void *, int, size_t) = memset;
    char room[4];
    if (H(n))
#ifndef TWIN
        fill(room, 0, 5);
#else
        fill(room, 0, 4);
#endif
    return 0;
}
