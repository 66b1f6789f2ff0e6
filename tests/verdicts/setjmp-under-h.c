// EXPECT: false
// TWIN: true
// The failure lies behind a jump out of a nested call.
#include <setjmp.h>
#include "h.h"
static jmp_buf b;
static int depth;
static void down(unsigned n) {
    if (depth == 3 && H(n))
        longjmp(b, 2);
    if (depth++ < 3)
        down(n);
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int r = setjmp(b);
    if (r == 2)
#ifndef TWIN
        reach_error();
#else
        return 1;
#endif
    if (r == 0)
        down(n);
    return 0;
}
