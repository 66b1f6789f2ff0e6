// EXPECT: false
// TWIN: true
// A stream is closed once.
#include <stdio.h>
#include "h.h"
int main(void) {
    FILE *f = fopen("data", "r");
    if (f)
        fclose(f);
#ifndef TWIN
    if (f) fclose(f);
#else
    f = 0;
#endif
    return 0;
}
