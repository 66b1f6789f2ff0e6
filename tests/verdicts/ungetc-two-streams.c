// EXPECT: true or unknown
// TWIN: false(unreach-call)
// Each stream has characters of its own that were put back.
#include <stdio.h>
#include "h.h"
int main(void) {
    FILE *f = fopen("settings", "r");
    if (!f)
        return 1;
    ungetc('a', f);
    ungetc('b', stdin);
#ifndef TWIN
    if (fgetc(f) != 'a' || getchar() != 'b')
#else
    if (fgetc(f) != 'a' || getchar() != 'a')
#endif
        reach_error();
    fclose(f);
    return 0;
}
