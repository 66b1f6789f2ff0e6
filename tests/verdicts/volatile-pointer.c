// EXPECT: false(assertion)
// TWIN: true
// The same through a pointer that a function was given.
#include <assert.h>
#include "h.h"
static int wait_for(volatile int *flag) {
    int x = *flag;
#ifndef TWIN
    return x == *flag;
#else
    return x == x;
#endif
}
int main(void) {
    int flag = 0;
    assert(wait_for(&flag) == 1);
    return 0;
}
