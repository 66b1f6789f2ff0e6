// EXPECT: false
// TWIN: true
// A constant index can be wrong.
#include "h.h"
int main(void) {
    int a[4];
#ifndef TWIN
    a[7] = 1;
#else
    a[3] = 1;
#endif
    return 0;
}
