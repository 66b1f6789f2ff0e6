// EXPECT: false
// TWIN: true
// What getenv returns stays the library's.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    char *p = getenv("A");
    free(p);
#else
    char *p = getenv("A");
    if (p) puts(p);
#endif
    return 0;
}
