// EXPECT: false(assertion)
// TWIN: true
// A jump leaves several calls at once, and the value arrives.
#include <assert.h>
#include <setjmp.h>
#include "h.h"
static jmp_buf b;
static int deep(unsigned n) {
    if (H(n))
        longjmp(b, 5);
    return 1;
}
static int middle(unsigned n) { return deep(n) + 1; }
static int outer(unsigned n) { return middle(n) + 1; }
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int r = setjmp(b);
    if (r == 0)
        r = outer(n);
#ifndef TWIN
    assert(r == 3);
#else
    assert(r == 3 || r == 5);
#endif
    return 0;
}
