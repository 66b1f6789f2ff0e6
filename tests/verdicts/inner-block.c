// EXPECT: false(pointer)
// TWIN: true
// A local of a block dies at its end.
#include "h.h"
int main(void) {
    int *p, y = 4;
    p = &y;
    {
        int x = 3;
#ifndef TWIN
        p = &x;
#else
        y = x;
#endif
    }
    int z = 7;
    return *p + z;
}
