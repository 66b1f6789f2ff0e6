// EXPECT: false(assertion)
// TWIN: true
// FLAGS: --property assertion
// A pointer that was never set may be the address of a variable, whether anybody compares them or not.
#include <assert.h>
static int x = 1, y = 1;
int main(void) {
    int *p, *q = &x;
    *p = 2;
    *q = 1;
#ifndef TWIN
    q = &y;
    assert(*q == 1);
#else
    assert(*q == 1);
#endif
    return 0;
}
