// EXPECT: false(pointer)
// TWIN: true
// To call it is a null call.
#include "h.h"
extern int extra(void) __attribute__((weak));
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (H(n))
#ifndef TWIN
        return extra();
#else
        return extra ? extra() : 0;
#endif
    return 0;
}
