// EXPECT: unknown
// TWIN: true
// A local that was changed after setjmp is indeterminate after the jump, unless it is volatile.
#include <assert.h>
#include <setjmp.h>
#include "h.h"
static jmp_buf b;
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
#ifndef TWIN
    int k = 0;
#else
    volatile int k = 0;
#endif
    if (setjmp(b)) {
        assert(k == 1);
        return 0;
    }
    k = 1;
    if (H(n))
        longjmp(b, 1);
    return 0;
}
