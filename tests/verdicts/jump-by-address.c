// EXPECT: false(assertion)
// TWIN: true
// longjmp through a pointer to it.
#include <assert.h>
#include <setjmp.h>
#include "h.h"
static jmp_buf b;
static int k;
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    void (*jump)(struct __jmp_buf_tag *, int) = longjmp;
    if (setjmp(b) == 0) {
        k = 1;
        if (H(n))
            jump(b, 1);
        k = 2;
    }
#ifndef TWIN
    assert(k == 2);
#else
    assert(k == 1 || k == 2);
#endif
    return 0;
}
