// EXPECT: false(assertion)
// TWIN: true
// What CBMC's users call to choose a value chooses one.
#include "h.h"
void __CPROVER_assert(_Bool, const char *);
unsigned nondet_uint(void);
int main(void) {
    unsigned n = nondet_uint();
#ifndef TWIN
    __CPROVER_assert(!H(n), "no such number");
#else
    __CPROVER_assert(!H(n) || n != 5, "five is none");
#endif
    return 0;
}
