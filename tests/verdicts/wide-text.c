// EXPECT: false(bounds)
// TWIN: true
// A wide string has to end inside its array.
#include <stdio.h>
#include <wchar.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    wchar_t name[3] = L"ab";
#ifndef TWIN
    if (H(n)) name[2] = L'c';
#else
    if (H(n)) name[1] = L'c';
#endif
    printf("%u %ls\n", n, name);
    fputws(name, stdout);
    return 0;
}
