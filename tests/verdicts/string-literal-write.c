// EXPECT: false(pointer)
// TWIN: true
// String literals cannot be written.
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
#ifndef TWIN
    char *s = "abc";
#else
    char s[] = "abc";
#endif
    if (H(n))
        s[0] = 'x';
    return 0;
}
