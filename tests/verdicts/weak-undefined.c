// EXPECT: false(assertion)
// TWIN: true
// A weak function that nobody defines is null.
#include <assert.h>
#include "h.h"
extern int extra(void) __attribute__((weak));
int main(void) {
#ifndef TWIN
    assert(extra != 0);
#else
    assert(extra == 0);
#endif
    return 0;
}
