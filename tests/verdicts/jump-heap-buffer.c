// EXPECT: false(assertion)
// TWIN: true
// The buffer is a member of an object in the heap, beside what was written before the jump.
#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>
#include "h.h"
struct reader {
    int line;
    jmp_buf failed;
};
static void parse(struct reader *r, unsigned n) {
    r->line = 1;
    if (H(n)) {
        r->line = 2;
        longjmp(r->failed, 4);
    }
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    struct reader *r = malloc(sizeof *r);
    if (!r)
        return 1;
    if (setjmp(r->failed) == 0)
        parse(r, n);
#ifndef TWIN
    assert(r->line == 1);
#else
    assert(r->line == 1 || r->line == 2);
#endif
    free(r);
    return 0;
}
