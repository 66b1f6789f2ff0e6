// EXPECT: false(overflow)
// TWIN: true
// FLAGS: --property overflow
// What was never written may be any number, also one that is too large to be doubled.
#include <stdlib.h>
#include "h.h"
int main(void) {
    int x, t[2];
#ifdef TWIN
    x = 1;
    t[1] = 2;
#endif
    int *p = malloc(sizeof *p);
    if (!p)
        return 0;
    *p = 3;
    long sum = (long)x + t[1];
    int y = x * 2;
    free(p);
    return sum == y;
}
