// EXPECT: false(unreach-call)
// TWIN: true
// What was put back is read or dropped by other functions, too.
#include <stdio.h>
#include "h.h"
int main(void) {
    FILE *f = fopen("settings", "r");
    if (!f)
        return 1;
    ungetc('a', f);
#ifndef TWIN
    rewind(f);
#endif
    if (fgetc(f) != 'a')
        reach_error();
    fclose(f);
    return 0;
}
