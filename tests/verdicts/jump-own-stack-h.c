// EXPECT: unknown or false(pointer)
// TWIN: unknown or true
// The same where no run is tried that comes to it.
#include <setjmp.h>
#include "h.h"
static jmp_buf b;
static char *p, outside;
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int size = 4;
    if (setjmp(b) == 0) {
        char a[size];
        p = a;
        p[0] = 3;
#ifdef TWIN
        p = &outside;
#endif
        longjmp(b, 1);
    }
    return H(n) ? *p : 0;
}
