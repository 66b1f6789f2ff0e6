// EXPECT: true
// TWIN: false(unreach-call)
// Where there is room for the end alone, nothing is read, and nothing fails.
#include "h.h"
#include <stdio.h>
int main(void) {
    char b[2] = "x";
#ifndef TWIN
    if (!fgets(b, 1, stdin) || b[0] != 0)
        reach_error();
#else
    if (!fgets(b, 2, stdin))
        reach_error();
#endif
    return 0;
}
