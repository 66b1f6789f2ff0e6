// EXPECT: false(assertion)
// TWIN: true
// A function that was given to atexit runs at the end.
#include <assert.h>
#include <stdlib.h>
#include "h.h"
static int x;
static void last(void) { assert(x == 1); }
int main(void) {
    x = 1;
    atexit(last);
#ifndef TWIN
    x = 2; return 0;
#else
    return 0;
#endif
}
