// EXPECT: true
// TWIN: false(unreach-call)
// A line of its own ends with its first newline, too.
#include "h.h"
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    char *line = 0;
    size_t room = 0;
    long r = getline(&line, &room, stdin);
#ifndef TWIN
    if (r > 1 && line[0] == '\n')
        reach_error();
#else
    if (r > 0 && line[0] == '\n')
        reach_error();
#endif
    free(line);
    return 0;
}
