// EXPECT: false(assertion)
// TWIN: true
// The same for memory on the heap.
#include <assert.h>
#include <stdlib.h>
#include "h.h"
extern void reg(unsigned *), poke(void);
int main(void) {
    unsigned *mode = malloc(sizeof *mode), *other = malloc(sizeof *other);
    *mode = *other = 1;
#ifndef TWIN
    reg(mode);
#else
    reg(other);
#endif
    *mode = 0;
    poke();
    assert(*mode == 0);
    return 0;
}
