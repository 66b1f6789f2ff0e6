// EXPECT: false(assertion)
// TWIN: true
// Exceptions out of macros: one is caught inside, and thrown on to the outside.
#include <assert.h>
#include <setjmp.h>
#include "h.h"
static jmp_buf *top;
static int thrown;
#define TRY { jmp_buf here, *before = top; top = &here; if (setjmp(here) == 0) {
#define CATCH top = before; } else { top = before;
#define END } }
#define THROW(e) (thrown = (e), longjmp(*top, 1))
static int log;
static void inner(unsigned n) {
    TRY
        if (H(n))
            THROW(7);
        log += 1;
    CATCH
        log += 10;
        THROW(thrown + 1);
    END
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    TRY
        inner(n);
    CATCH
        log += 100;
    END
#ifndef TWIN
    assert(thrown == 0 || thrown == 7);
#else
    assert(thrown == 0 ? log == 1 : thrown == 8 && log == 110);
#endif
    return 0;
}
