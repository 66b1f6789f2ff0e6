// EXPECT: false(assertion)
// TWIN: true
// A jump out of a function that is called through a pointer.
#include <assert.h>
#include <setjmp.h>
#include "h.h"
static jmp_buf b;
static int seen;
static void count(unsigned n) { seen++; (void)n; }
static void stop(unsigned n) {
    if (H(n))
        longjmp(b, 2);
}
static void each(void (*visit)(unsigned), unsigned n) {
    for (int i = 0; i < 2; i++)
        visit(n);
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int r = setjmp(b);
    if (r == 0) {
        each(count, n);
        each(stop, n);
        seen = 9;
    }
#ifndef TWIN
    assert(seen == 9);
#else
    assert(seen == (r ? 2 : 9));
#endif
    return 0;
}
