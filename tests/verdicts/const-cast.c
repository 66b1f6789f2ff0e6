// EXPECT: false
// TWIN: true
// A constant that is written through its own address.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    const int c = 3;
    *(int*)&c = 4;
#else
    int c = 3;
    *(int*)&c = 4;
#endif
    return 0;
}
