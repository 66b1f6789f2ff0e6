// EXPECT: false
// TWIN: true
// sprintf must not write past the end.
#include <stdio.h>
#include "h.h"
int main(void) {
    char b[4];
#ifndef TWIN
    sprintf(b, "%d", 12345);
#else
    sprintf(b, "%d", 123);
#endif
    return 0;
}
