// EXPECT: false(bounds)
// TWIN: true
// Wide strings end inside their objects, too.
#include <wchar.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
#ifndef TWIN
    wchar_t word[3] = {L'a', L'b', L'c'};
#else
    wchar_t word[3] = {L'a', L'b', 0};
#endif
    if (H(n))
        return wcslen(word) == 77;
    return 0;
}
