// EXPECT: true
// TWIN: false(assertion)
// sprintf writes what it should.
#include <assert.h>
#include <stdio.h>
#include "h.h"
int main(void) {
    char b[8];
    sprintf(b, "%d%c", 7, '-');
#ifndef TWIN
    assert(b[0] == '7' && b[1] == '-' && b[2] == 0);
#else
    assert(b[0] == '7' && b[1] == 0);
#endif
    return 0;
}
