// EXPECT: false
// TWIN: true
// memcpy needs memory that does not overlap.
#include <string.h>
#include "h.h"
int main(void) {
    char b[8] = {1, 2, 3};
#ifndef TWIN
    memcpy(b, b + 2, 4);
#else
    memmove(b, b + 2, 4);
#endif
    return 0;
}
