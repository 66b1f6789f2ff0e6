// EXPECT: false
// TWIN: true
// The only risk is a library call.
#include <string.h>
#include "h.h"
int main(void) {
    char b[4];
#ifndef TWIN
    strcpy(b, "hello");
#else
    strcpy(b, "hey");
#endif
    return 0;
}
