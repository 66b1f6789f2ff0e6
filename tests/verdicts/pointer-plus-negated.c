// EXPECT: false(overflow)
// TWIN: true
// FLAGS: --property overflow
// The same without an assignment: only the program negates a number.
#include "h.h"
long __VERIFIER_nondet_long(void);
int main(void) {
    char a[4];
    long n = __VERIFIER_nondet_long();
#ifndef TWIN
    char *p = a + -n;
#else
    char *p = a - n;
#endif
    return p == a;
}
