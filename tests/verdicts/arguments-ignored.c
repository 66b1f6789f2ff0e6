// EXPECT: true or unknown
// TWIN: false(unreach-call)
// Nobody looks at the arguments, so that one run tells all.
#include <stdio.h>
#include "h.h"
int main(int argc, char **argv) {
    int a, b;
#ifndef TWIN
    if (sscanf("3,4", "%d,%d", &a, &b) != 2 || a != 3 || b != 4)
#else
    if (argc > 1 && sscanf("3,4", "%d,%d", &a, &b) == 2 && a == 3)
#endif
        reach_error();
    return 0;
}
