// EXPECT: true
// TWIN: false(assertion)
// setjmp returns what longjmp was given, and 1 for 0.
#include <assert.h>
#include <setjmp.h>
#include "h.h"
static jmp_buf b;
static int given;
static void jump(void) { longjmp(b, given); }
int main(void) {
    given = __VERIFIER_nondet_int();
    int r = setjmp(b);
    if (r == 0)
        jump();
#ifndef TWIN
    assert(r == (given ? given : 1));
#else
    assert(r == given);
#endif
    return 0;
}
