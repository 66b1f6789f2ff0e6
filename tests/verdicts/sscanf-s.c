// EXPECT: false
// TWIN: true
// sscanf writes what is in the string.
#include <stdio.h>
#include "h.h"
int main(void) {
    char b[4];
#ifndef TWIN
    sscanf("hello world", "%s", b);
#else
    sscanf("hey world", "%s", b);
#endif
    return 0;
}
