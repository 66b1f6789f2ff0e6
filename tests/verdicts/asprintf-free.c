// EXPECT: true
// TWIN: false(pointer)
// FLAGS: -D_GNU_SOURCE
// asprintf allocates what the program frees.
#include <stdio.h>
#include <stdlib.h>
#include "h.h"
int main(void) {
    char *s;
    if (asprintf(&s, "%d", 5) == 1) {
        free(s);
#ifndef TWIN
        s = 0;
#else
        free(s);
#endif
    }
    return 0;
}
