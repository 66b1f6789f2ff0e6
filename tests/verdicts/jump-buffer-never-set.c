// EXPECT: false(pointer)
// TWIN: true
// A buffer must be set on every way to the jump.
#include <setjmp.h>
#include "h.h"
static jmp_buf b;
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int r = 0;
#ifndef TWIN
    if (n < 1000)
#endif
        r = setjmp(b);
    if (r == 0 && H(n))
        longjmp(b, 1);
    return 0;
}
