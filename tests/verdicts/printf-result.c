// EXPECT: true
// TWIN: false(assertion)
// printf returns how much it wrote.
#include <assert.h>
#include <stdio.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    assert(printf("%ld", 42L) == 2);
#else
    assert(printf("%ld", 42L) == 3);
#endif
    return 0;
}
