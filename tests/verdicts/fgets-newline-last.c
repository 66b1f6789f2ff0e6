// EXPECT: true
// TWIN: false(unreach-call)
// A line ends with its first newline.
#include "h.h"
#include <stdio.h>
#include <string.h>
int main(void) {
    char b[8];
    if (!fgets(b, sizeof b, stdin))
        return 0;
    char *p = strchr(b, '\n');
#ifndef TWIN
    if (p && p[1] != 0)
        reach_error();
#else
    if (p && p != b)
        reach_error();
#endif
    return 0;
}
