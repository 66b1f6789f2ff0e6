// EXPECT: false(pointer)
// TWIN: true
// The only risk lies in a function of the library that another one calls.
#include <string.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    char *text = "a b";
#else
    char text[] = "a b";
#endif
    strtok(text, " ");
    return 0;
}
