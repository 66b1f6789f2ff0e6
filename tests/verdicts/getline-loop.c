// EXPECT: false
// TWIN: true
// FLAGS: -D_GNU_SOURCE
// A buffer that getline made larger is freed once, after the loop.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    char *l = 0;
    size_t n = 0;
    while (getline(&l, &n, stdin) > 0) free(l);
#else
    char *l = 0;
    size_t n = 0;
    while (getline(&l, &n, stdin) > 0);
    free(l);
#endif
    return 0;
}
