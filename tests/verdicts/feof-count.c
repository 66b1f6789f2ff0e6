// EXPECT: false(unreach-call)
// TWIN: unknown or true
// fread that got all it asked for has not met the end.
#include <stdio.h>
#include "h.h"
int main(void) {
    char b[4];
    size_t got = fread(b, 1, 4, stdin);
#ifdef TWIN
    if (got == 4)
#else
    if (got == 3)
#endif
        if (feof(stdin))
            reach_error();
    return 0;
}
