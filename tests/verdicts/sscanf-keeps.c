// EXPECT: false
// TWIN: true
// sscanf leaves what it does not convert.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    int x = 1;
    sscanf("5","%d", &x);
    assert(x == 1);
#else
    int x = 1;
    sscanf("abc","%d", &x);
    assert(x == 1);
#endif
    return 0;
}
