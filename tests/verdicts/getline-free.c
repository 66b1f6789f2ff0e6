// EXPECT: true
// TWIN: false(pointer)
// FLAGS: -D_GNU_SOURCE
// getline allocates what the program frees.
#include <stdio.h>
#include <stdlib.h>
#include "h.h"
int main(void) {
    char *line = 0;
    size_t size = 0;
    if (getline(&line, &size, stdin) > 0) {
        free(line);
#ifndef TWIN
        line = 0;
#else
        free(line);
#endif
    }
    return 0;
}
