// EXPECT: true
// TWIN: false(unreach-call)
// %n stores how much was read, and the result does not count it.
#include "h.h"
#include <stdio.h>
int main(void) {
    int k = -5, v = 9;
    int r = scanf("%d%n", &v, &k);
#ifndef TWIN
    if (r < 1 && (v != 9 || k != -5))
        reach_error();
    if (r > 1 || (k < 0 && k != -5))
        reach_error();
#else
    if (r == 1 && v == 4)
        reach_error();
#endif
    return 0;
}
