// EXPECT: false or unknown
// TWIN: true or unknown
// A result that the real library defines is not invented.
#include <assert.h>
#include <wchar.h>
#include "h.h"
int main(void) {
    wchar_t word[8];
    int length = swprintf(word, 8, L"%d", 123);
#ifndef TWIN
    assert(length == 4);
#else
    assert(length == 3);
#endif
    return 0;
}
