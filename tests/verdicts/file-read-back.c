// EXPECT: true or unknown
// TWIN: false(unreach-call)
// What was written is read.
#include <stdio.h>
#include "h.h"
int main(void) {
    FILE *f = tmpfile();
    if (!f)
        return 1;
#ifndef TWIN
    fputc('q', f);
#endif
    rewind(f);
    int c = fgetc(f);
    if (c != 'q' && c != EOF)
        reach_error();
    fclose(f);
    return 0;
}
