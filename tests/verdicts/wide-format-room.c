// EXPECT: false
// TWIN: true
// What wscanf stores has to fit.
#include <stdio.h>
#include <wchar.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    wchar_t word[4] = L"";
    if (H(n)) {
#ifndef TWIN
        wscanf(L"%4ls", word);
#else
        wscanf(L"%3ls", word);
#endif
    }
    return 0;
}
