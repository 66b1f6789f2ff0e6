// EXPECT: false(pointer)
// TWIN: true
// Memory on the stack of calls that a jump leaves is gone: an array of variable length, alloca.
#include <alloca.h>
#include <setjmp.h>
#include "h.h"
static jmp_buf b;
static char *kept, other[4];
static void leave(int size, unsigned n) {
    char a[size];
    char *m = alloca(4);
    a[0] = m[0] = 1;
    kept = a[0] ? a : m;
#ifdef TWIN
    kept = other;
#endif
    if (H(n))
        longjmp(b, 1);
    kept = other;
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    kept = other;
    if (setjmp(b) == 0)
        leave(4, n);
    return kept[0];
}
