// EXPECT: false(bounds)
// TWIN: true
// What is appended comes after what is there.
#include <wchar.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    wchar_t word[4] = L"ab";
    if (H(n))
#ifndef TWIN
        wcscat(word, L"cd");
#else
        wcscat(word, L"c");
#endif
    return 0;
}
