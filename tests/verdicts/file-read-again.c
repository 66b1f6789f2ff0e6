// EXPECT: true or unknown
// TWIN: false(unreach-call)
// A file that the program wrote and opens again holds what it wrote.
#include <stdio.h>
#include "h.h"
int main(void) {
    FILE *f = fopen("state", "w");
    if (!f)
        return 1;
    fprintf(f, "%d", 7);
    fclose(f);
#ifndef TWIN
    f = fopen("state", "r");
#else
    f = fopen("other", "r");
#endif
    if (!f)
        return 1;
    if (fgetc(f) == '8')
        reach_error();
    fclose(f);
    return 0;
}
