// EXPECT: false(pointer)
// TWIN: true
// Nor can the library write into them.
#include <string.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
#ifndef TWIN
    char *s = "abc";
#else
    char s[] = "abc";
#endif
    if (H(n))
        strcpy(s, "xy");
    return 0;
}
