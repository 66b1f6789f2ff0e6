// EXPECT: false
// TWIN: true
// A stream is closed, not freed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    FILE *f = fopen("x","r");
    free(f);
#else
    FILE *f = fopen("x","r");
    if (f) fclose(f);
#endif
    return 0;
}
