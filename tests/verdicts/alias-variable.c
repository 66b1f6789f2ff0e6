// EXPECT: false(assertion)
// TWIN: true
// An alias is another name of the same object.
#include <assert.h>
#include "h.h"
int x = 1;
extern int y __attribute__((alias("x")));
int main(void) {
    y = 2;
#ifndef TWIN
    assert(x == 1);
#else
    assert(x == 2);
#endif
    return 0;
}
