// EXPECT: false(overflow)
// TWIN: true
// FLAGS: --property overflow
// To subtract the least number from a pointer negates no number; to add its negation does.
#include "h.h"
long __VERIFIER_nondet_long(void);
int main(void) {
    char a[4];
    long n = __VERIFIER_nondet_long();
#ifndef TWIN
    char *p = a;
    p += -n;
#else
    char *p = a - n;
    p -= n;
#endif
    return p == a;
}
