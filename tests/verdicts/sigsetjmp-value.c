// EXPECT: false(assertion)
// TWIN: true
// The variants with signal masks jump alike.
#include <assert.h>
#include <setjmp.h>
#include "h.h"
static sigjmp_buf b;
static int k;
int main(void) {
    int r = sigsetjmp(b, 1);
    if (r == 0) {
        k = 4;
        siglongjmp(b, 3);
    }
#ifndef TWIN
    assert(k == 4 && r == 1);
#else
    assert(k == 4 && r == 3);
#endif
    return 0;
}
