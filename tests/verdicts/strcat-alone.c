// EXPECT: false
// TWIN: true
// strcat needs room for both.
#include <string.h>
#include "h.h"
int main(void) {
    char b[5] = "ab";
#ifndef TWIN
    strcat(b, "cde");
#else
    strcat(b, "cd");
#endif
    return 0;
}
