// EXPECT: false(assertion)
// TWIN: true
// A pointer that is chosen may be the address of a variable.
#include <assert.h>
extern void *__VERIFIER_nondet_pointer(void);
int main(void) {
    int x = 1;
    int *p = __VERIFIER_nondet_pointer();
    if (p == &x)
#ifndef TWIN
        *p = 2;
#else
        *p = 1;
#endif
    assert(x == 1);
    return 0;
}
