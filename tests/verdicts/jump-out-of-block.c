// EXPECT: false(pointer)
// TWIN: true
// A jump ends the lives of what was declared in the blocks that it leaves.
#include <setjmp.h>
#include "h.h"
static jmp_buf b;
static int *p, outside;
static void leave(unsigned n) {
    if (H(n))
        longjmp(b, 1);
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    p = &outside;
    if (setjmp(b) == 0) {
        int x = 3;
#ifndef TWIN
        p = &x;
#endif
        leave(n);
        p = &outside;
        outside = x;
    }
    return *p;
}
