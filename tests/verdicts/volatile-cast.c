// EXPECT: false(assertion)
// TWIN: true
// Two volatile reads need not agree.
#include <assert.h>
#include "h.h"
static unsigned memory;
#define REG (*(volatile unsigned *)&memory)
int main(void) {
    unsigned x = REG;
#ifndef TWIN
    unsigned y = REG;
#else
    unsigned y = x;
#endif
    assert(x == y);
    return 0;
}
