// EXPECT: false(unreach-call)
// TWIN: true
// What was put back is read or dropped by other functions, too.
#include <stdio.h>
#include "h.h"
int main(void) {
    char line[8];
    ungetc('a', stdin);
#ifndef TWIN
    if (!fgets(line, sizeof line, stdin))
        return 1;
#endif
    if (getchar() != 'a')
        reach_error();
    return 0;
}
