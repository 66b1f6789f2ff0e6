// EXPECT: false
// TWIN: true
// puts needs a terminated string.
#include <stdio.h>
#include "h.h"
int main(void) {
    char b[4] = {'a', 'b', 'c', 'd'};
    b[0] = 'z';
#ifndef TWIN
    puts(b);
#else
    puts("abcd");
#endif
    return 0;
}
