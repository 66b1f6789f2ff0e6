// EXPECT: false(unreach-call)
// TWIN: unknown or true
// What feof says stays so until it is cleared.
#include <stdio.h>
#include "h.h"
int main(void) {
    while (getchar() != EOF)
        ;
    int ended = feof(stdin);
#ifndef TWIN
    clearerr(stdin);
#endif
    if (ended && !feof(stdin))
        reach_error();
    return 0;
}
