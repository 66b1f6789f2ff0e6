// EXPECT: false(assertion)
// TWIN: true
// A jump back as a loop: three attempts, then it is enough.
#include <assert.h>
#include <setjmp.h>
#include "h.h"
static jmp_buf b;
static int attempts;
static void attempt(unsigned n) {
    attempts++;
    if (H(n))
        longjmp(b, attempts);
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int r = setjmp(b);
    if (r < 3)
        attempt(n);
#ifndef TWIN
    assert(attempts == 1);
#else
    assert(attempts == 1 || attempts == 3);
#endif
    return 0;
}
