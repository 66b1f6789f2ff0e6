// EXPECT: false
// TWIN: true
// %s reads the string.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "h.h"
int main(void) {
    char *p = malloc(4);
    strcpy(p, "abc");
    free(p);
#ifndef TWIN
    printf("%s", p);
#else
    printf("%d", 1);
#endif
    return 0;
}
