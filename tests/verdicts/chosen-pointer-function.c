// EXPECT: false(assertion)
// TWIN: true
// A pointer that is chosen may be the address of a function.
#include <assert.h>
extern void *__VERIFIER_nondet_pointer(void);
static int calls;
static void f(void) { calls++; }
int main(void) {
    void (*p)(void) = (void (*)(void))__VERIFIER_nondet_pointer();
    if (p == f)
        p();
#ifndef TWIN
    assert(calls == 0);
#else
    assert(calls <= 1);
#endif
    return 0;
}
