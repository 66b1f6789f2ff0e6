// EXPECT: false(assertion)
// TWIN: true
// A jump with the value 0 makes setjmp return 1.
#include <assert.h>
#include <setjmp.h>
#include "h.h"
static jmp_buf b;
static int k;
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int r = _setjmp(b);
    if (r == 0 && H(n)) {
        k = 1;
        longjmp(b, 0);
    }
#ifndef TWIN
    assert(r == 0);
#else
    assert(r == k);
#endif
    return 0;
}
