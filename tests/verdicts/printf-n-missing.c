// EXPECT: false
// TWIN: true
// %n needs an argument.
#include <stdio.h>
#include "h.h"
int main(void) {
    int x;
#ifndef TWIN
    printf("x%n");
#else
    printf("x%n", &x);
#endif
    return 0;
}
