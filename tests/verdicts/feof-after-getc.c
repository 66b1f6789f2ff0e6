// EXPECT: false(unreach-call)
// TWIN: unknown or true
// A stream that gave a character has not ended; one that gave none has, or failed.
#include <stdio.h>
#include "h.h"
int main(void) {
    int c = getc(stdin);
#ifndef TWIN
    if (c == EOF && !feof(stdin))
        reach_error();
#else
    if (c == EOF && !feof(stdin) && !ferror(stdin))
        reach_error();
    if (c != EOF && feof(stdin))
        reach_error();
#endif
    return 0;
}
