// EXPECT: true
// TWIN: false(assertion)
// A function does not write what it takes as const.
#include <assert.h>
#include <time.h>
#include "h.h"
int main(void) {
    time_t t = 1, u = 1;
    localtime(&t);
    time(&u);
#ifndef TWIN
    assert(t == 1);
#else
    assert(u == 1);
#endif
    return 0;
}
