// EXPECT: false(bounds)
// TWIN: true
// A copy of a wide string needs room for its end.
#include <wchar.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    wchar_t word[3];
    if (H(n))
#ifndef TWIN
        wcscpy(word, L"abc");
#else
        wcscpy(word, L"ab");
#endif
    return 0;
}
