// EXPECT: false
// TWIN: true
// fopen may fail.
#include <stdio.h>
#include "h.h"
int main(void) {
    FILE *f = fopen("data", "r");
#ifndef TWIN
    fgetc(f);
#else
    if (f) fgetc(f);
#endif
    return 0;
}
