// EXPECT: false
// TWIN: true
// The only risk is a library call.
#include <string.h>
#include "h.h"
int main(void) {
    char b[4];
#ifndef TWIN
    memset(b, 0, 5);
#else
    memset(b, 0, 4);
#endif
    return 0;
}
