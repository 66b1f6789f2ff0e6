// EXPECT: false
// TWIN: true
// What malloc returns is no stream.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    void *p = malloc(300);
    fclose((FILE*)p);
#else
    void *p = malloc(300);
    free(p);
#endif
    return 0;
}
