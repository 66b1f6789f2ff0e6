// EXPECT: false(assertion)
// TWIN: true
// An alias of a function is that function.
#include <assert.h>
#include "h.h"
static int count;
void step(void) { count++; }
extern void again(void) __attribute__((alias("step")));
int main(void) {
    again();
    step();
#ifndef TWIN
    assert(count == 1);
#else
    assert(count == 2);
#endif
    return 0;
}
