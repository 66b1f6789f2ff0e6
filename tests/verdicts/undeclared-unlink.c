// EXPECT: false(pointer)
// TWIN: true
// A known function requires what it requires, also where no header declares it.
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
#ifndef TWIN
    unlink(H(n) ? 0 : "name");
#else
    unlink(H(n) ? "other" : "name");
#endif
    return 0;
}
