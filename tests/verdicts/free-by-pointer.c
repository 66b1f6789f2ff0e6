// EXPECT: false(pointer)
// TWIN: true
// Functions that engines do themselves are called through pointers, too.
#include <stdlib.h>
#include "h.h"
struct memory {
    void *(*get)(size_t);
    void (*give)(void *);
};
static const struct memory memory = {malloc, free};
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    char *p = memory.get(4);
    memory.give(p);
    if (H(n))
#ifndef TWIN
        memory.give(p);
#else
        memory.give(0);
#endif
    return 0;
}
