// EXPECT: false(assertion)
// TWIN: true
// A pointer that is chosen may lead to memory from malloc.
#include <assert.h>
#include <stdlib.h>
extern void *__VERIFIER_nondet_pointer(void);
int main(void) {
    int *q = malloc(2 * sizeof *q);
    q[0] = q[1] = 1;
    int *p = __VERIFIER_nondet_pointer();
    if (p == q + 1)
        *p = 2;
#ifndef TWIN
    assert(q[1] == 1);
#else
    assert(q[0] == 1);
#endif
    return 0;
}
