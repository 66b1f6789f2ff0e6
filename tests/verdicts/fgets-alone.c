// EXPECT: false
// TWIN: true
// The only risk is a library call.
#include <stdio.h>
#include "h.h"
int main(void) {
    char b[4];
#ifndef TWIN
    fgets(b, 5, stdin);
#else
    fgets(b, 4, stdin);
#endif
    return 0;
}
