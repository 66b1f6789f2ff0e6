// EXPECT: true or unknown
// TWIN: false(unreach-call)
// A line has at least one character, and ends where getline says.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include "h.h"
int main(void) {
    char *line = 0;
    size_t room = 0;
    ssize_t n = getline(&line, &room, stdin);
    if (n < 0)
        return 1;
#ifndef TWIN
    if (n == 0 || line[n] != 0 || room <= (size_t)n)
#else
    if (n == 1)
#endif
        reach_error();
    free(line);
    return 0;
}
