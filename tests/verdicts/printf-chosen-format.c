// EXPECT: false(pointer)
// TWIN: true
// A format may be one of several.
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int();
#ifndef TWIN
    printf(n == 77123 ? "%d %s\n" : "%d\n", n);
#else
    printf(n == 77123 ? "%x\n" : "%d\n", n);
#endif
    return 0;
}
