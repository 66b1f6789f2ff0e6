// EXPECT: false(pointer)
// TWIN: true
// Strings that are copied do not overlap.
#include <string.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    char word[8] = "abcdef";
    if (H(n))
#ifndef TWIN
        strcpy(word, word + 1);
#else
        memmove(word, word + 1, 6);
#endif
    return 0;
}
