// EXPECT: false(assertion)
// TWIN: true
// What was written between setjmp and longjmp is seen after the jump.
#include <assert.h>
#include <setjmp.h>
#include "h.h"
static jmp_buf b;
static int k;
int main(void) {
    if (setjmp(b)) {
#ifndef TWIN
        assert(k == 0);
#else
        assert(k == 1);
#endif
        return 0;
    }
    k = 1;
    longjmp(b, 1);
}
