// EXPECT: false(pointer)
// TWIN: true
// A compound literal of a constant type must not be changed.
#include "h.h"
#ifndef TWIN
#define KIND const int
#else
#define KIND int
#endif
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    const int *p = (KIND[]){1, 2};
    if (H(n))
        *(int *)p = 5;
    return p[1];
}
