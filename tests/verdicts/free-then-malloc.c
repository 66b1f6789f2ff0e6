// EXPECT: unknown or false
// TWIN: true
// Nothing is known about a freed pointer and a new one.
#include <assert.h>
#include <stdlib.h>
#include "h.h"
int main(void) {
    char *p = malloc(4);
    unsigned long old = (unsigned long)p;
#ifndef TWIN
    free(p);
#else
    p[0] = 1;
#endif
    char *q = malloc(4);
    if (p && q)
        assert(old != (unsigned long)q);
    return 0;
}
