// EXPECT: false
// TWIN: true
// The only risk is a library call.
#include <string.h>
#include "h.h"
int main(void) {
    char a[8] = {0}, b[4];
#ifndef TWIN
    memcpy(b, a, 8);
#else
    memcpy(b, a, 4);
#endif
    return 0;
}
