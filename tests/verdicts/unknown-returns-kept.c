// EXPECT: unknown or false(assertion)
// TWIN: true
// FLAGS: --property assertion
// The result may be a pointer that an earlier call was given.
#include <assert.h>
#include "h.h"
extern int *unknown(int *);
int main(void) {
    int x = 1, y = 1, z = 1, *kept = &x;
#ifndef TWIN
    unknown(kept);
#else
    unknown(&z);
#endif
    int *q = unknown(&y);
    *kept = 2;
    if (q && q != &y && q != &z)
        *q = 3;
    assert(*kept == 2);
    return z;
}
