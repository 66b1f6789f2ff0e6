// EXPECT: false(pointer)
// TWIN: true
// A wide format is read like any other.
#include <stdio.h>
#include <wchar.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    const wchar_t *name = L"abc";
#ifndef TWIN
    if (H(n)) name = 0;
#endif
    wprintf(L"%u: %ls\n", n, name);
    return 0;
}
