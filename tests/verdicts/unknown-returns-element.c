// EXPECT: false(assertion)
// TWIN: true
// FLAGS: --property assertion
// The result may point into an array that was given.
#include <assert.h>
#include "h.h"
extern int *unknown(int *, int);
int main(void) {
    int a[4] = {0}, b[4] = {0};
#ifndef TWIN
    int *p = unknown(a, 4);
#else
    int *p = unknown(b, 4);
#endif
    a[2] = 0;
    if (p)
        *p = 7;
    assert(a[2] == 0);
    return b[0];
}
