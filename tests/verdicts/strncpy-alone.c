// EXPECT: false
// TWIN: true
// strncpy fills the whole count.
#include <string.h>
#include "h.h"
int main(void) {
    char b[4];
#ifndef TWIN
    strncpy(b, "a", 5);
#else
    strncpy(b, "a", 4);
#endif
    return 0;
}
