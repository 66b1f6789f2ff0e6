// EXPECT: false(assertion)
// TWIN: true
// Of a weak and another definition in one program, the other counts; alone, the weak one.
#include <assert.h>
#include "h.h"
__attribute__((weak)) int level(void) { return 1; }
int main(void) {
#ifndef TWIN
    assert(level() == 2);
#else
    assert(level() == 1);
#endif
    return 0;
}
