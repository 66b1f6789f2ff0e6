// EXPECT: false(unreach-call)
// TWIN: unknown or true
// A stream has not ended before anything was read; after a read it may have.
#include <stdio.h>
#include "h.h"
int main(void) {
    FILE *f = fopen("x", "r");
    if (!f)
        return 0;
#ifndef TWIN
    char line[4];
    fgets(line, sizeof line, f);
#endif
    if (feof(f))
        reach_error();
    fclose(f);
    return 0;
}
