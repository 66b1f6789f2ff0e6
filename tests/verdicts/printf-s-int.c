// EXPECT: false
// TWIN: true
// A number is no string.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    printf("%s", 5);
#else
    printf("%d", 5);
#endif
    return 0;
}
