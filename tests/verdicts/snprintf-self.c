// EXPECT: false(pointer)
// TWIN: true
// A buffer is not printed into itself.
#include <stdio.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    char word[8] = "ab", other[8] = "ab";
    if (H(n))
#ifndef TWIN
        snprintf(word, 8, "%s!", word);
#else
        snprintf(word, 8, "%s!", other);
#endif
    return 0;
}
