// EXPECT: false(assertion)
// TWIN: true
// Whether a pointer that is chosen is the address of a variable may be asked of numbers.
#include <assert.h>
extern void *__VERIFIER_nondet_pointer(void);
static int x = 1;
int main(void) {
    int *p = __VERIFIER_nondet_pointer();
    if ((unsigned long)p == (unsigned long)&x)
#ifndef TWIN
        *p = 2;
#else
        *p = 1;
#endif
    assert(x == 1);
    return 0;
}
