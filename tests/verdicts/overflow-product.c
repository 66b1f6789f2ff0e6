// EXPECT: false(overflow)
// TWIN: true
// FLAGS: --property overflow
// Also in the middle of a constant expression.
#include "h.h"
int main(void) {
#ifndef TWIN
    int x = (1073741824 * 2) - 1;
#else
    int x = (1073741823 * 2) - 1;
#endif
    return x == 0;
}
