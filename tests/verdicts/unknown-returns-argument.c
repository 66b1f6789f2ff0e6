// EXPECT: false(assertion)
// TWIN: true
// The result may be a pointer that was given.
#include <assert.h>
#include "h.h"
extern int *unknown(int *);
int main(void) {
    int x = 1, y = 1, *other = &y;
#ifndef TWIN
    int *p = unknown(&x);
#else
    int *p = unknown(other);
#endif
    x = 2;
    if (p == &x) {
        *p = 3;
        assert(x == 2);
    }
    return 0;
}
