// EXPECT: false
// TWIN: true
// A closed stream is not read.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    FILE *f = fopen("x","r");
    if (!f) return 0;
    fclose(f);
    fgetc(f);
#else
    FILE *f = fopen("x","r");
    if (!f) return 0;
    fgetc(f);
    fclose(f);
#endif
    return 0;
}
