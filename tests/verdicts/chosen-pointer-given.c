// EXPECT: false(assertion)
// TWIN: true
// FLAGS: --property assertion
// What a chosen pointer may lead to is known to a function that was given it.
#include <assert.h>
extern void *__VERIFIER_nondet_pointer(void);
extern void give(int *);
extern void later(void);
int main(void) {
    int x = 1;
    int *p = __VERIFIER_nondet_pointer();
#ifndef TWIN
    if (p == &x) {
#else
    if (p != &x) {
        __VERIFIER_nondet_pointer();
        return 0;
    } else if (0) {
#endif
        give(p);
        x = 1;
        later();
    }
    assert(x == 1);
    return 0;
}
