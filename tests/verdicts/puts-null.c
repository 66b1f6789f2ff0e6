// EXPECT: false
// TWIN: true
// puts needs a string.
#include <stdio.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    puts(NULL);
#else
    puts("");
#endif
    return 0;
}
