// EXPECT: false
// TWIN: true
// A jump to a function that has returned is undefined.
#include <setjmp.h>
#include "h.h"
static jmp_buf b;
static int prepare(void) { return setjmp(b); }
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int r = prepare();
    if (r == 0 && H(n))
#ifndef TWIN
        longjmp(b, 1);
#else
        return 1;
#endif
    return 0;
}
