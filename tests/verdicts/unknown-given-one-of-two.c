// EXPECT: false(assertion)
// TWIN: true
// FLAGS: --property assertion
// An unknown function knows the variable that it was given, not another one that it might have been given.
#include <assert.h>
extern void get(int *);
extern void log_it(int);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = 0, y = 0;
    int left = __VERIFIER_nondet_int();
    get(left ? &x : &y);
    x = y = 0;
    log_it(1);
#ifndef TWIN
    assert(x == 0 || !left);
#else
    assert(x == 0 || left);
#endif
    return 0;
}
