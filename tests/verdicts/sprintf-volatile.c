// EXPECT: false
// TWIN: true
// A volatile argument is read once.
#include <stdio.h>
#include "h.h"
static volatile unsigned reg;
int main(void) {
    char b[12];
#ifndef TWIN
    if (reg < 10 && sprintf(b, "%u", reg) == 2)
        reach_error();
#else
    unsigned read = reg;
    if (read < 10 && sprintf(b, "%u", read) == 2)
        reach_error();
#endif
    return 0;
}
