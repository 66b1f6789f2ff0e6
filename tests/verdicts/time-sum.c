// EXPECT: false
// TWIN: true
// FLAGS: --property overflow,assertion
// The clock of a real machine is far from the largest number.
#include <time.h>
#include <assert.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    time_t t = time(0);
    assert(t < 100);
#else
    time_t t = time(0);
    assert(t >= 0 && t+86400 > t);
#endif
    return 0;
}
