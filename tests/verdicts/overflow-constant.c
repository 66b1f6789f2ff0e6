// EXPECT: false(overflow)
// TWIN: true
// FLAGS: --property overflow
// A constant expression can overflow, too.
#include "h.h"
int main(void) {
#ifndef TWIN
    int x = 0x7fffffff + 1;
#else
    int x = 0x7ffffffe + 1;
#endif
    return x == 0;
}
