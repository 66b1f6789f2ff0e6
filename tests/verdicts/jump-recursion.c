// EXPECT: false(assertion)
// TWIN: true
// Each call of a recursive function has a mark of its own.
#include <assert.h>
#include <setjmp.h>
#include "h.h"
static jmp_buf b[3];
static int landed = -1;
static void f(int level, unsigned n) {
    if (setjmp(b[level])) {
        landed = level;
        return;
    }
    if (level < 2)
        f(level + 1, n);
    else if (H(n))
        longjmp(b[1], 1);
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    f(0, n);
#ifndef TWIN
    assert(landed == -1 || landed == 2);
#else
    assert(landed == -1 || landed == 1);
#endif
    return 0;
}
