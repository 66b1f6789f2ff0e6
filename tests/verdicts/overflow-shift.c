// EXPECT: false
// TWIN: true
// FLAGS: --property overflow,shift
// 1 << 31 is not representable in int.
#include "h.h"
int main(void) {
#ifndef TWIN
    int x = 1 << 31;
#else
    int x = 1 << 30;
#endif
    return x == 0;
}
