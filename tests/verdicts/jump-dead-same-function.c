// EXPECT: false(pointer)
// TWIN: true
// The buffer was set by an earlier call of the function that is called again.
#include <setjmp.h>
#include "h.h"
static jmp_buf b;
static int f(int again, unsigned n) {
#ifdef TWIN
    again = 0;
#endif
    if (again == 0 && setjmp(b))
        return 2;
    if (H(n) && (again || n))
        longjmp(b, 1);
    return 1;
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    f(0, 0);
    f(1, n);
    return 0;
}
