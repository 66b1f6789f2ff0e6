// EXPECT: false
// TWIN: true
// scanf with %s has no limit.
#include <stdio.h>
#include "h.h"
int main(void) {
    char b[4];
#ifndef TWIN
    scanf("%s", b);
#else
    scanf("%3s", b);
#endif
    return 0;
}
