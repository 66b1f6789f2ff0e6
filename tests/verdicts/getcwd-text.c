// EXPECT: false
// TWIN: true
// getcwd fills its buffer with a text.
#include <unistd.h>
#include <stdio.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    char b[8];
    getcwd(b, 9);
#else
    char b[8];
    if (getcwd(b, 8)) puts(b);
#endif
    return 0;
}
