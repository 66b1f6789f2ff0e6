// EXPECT: false(assertion)
// TWIN: true
// FLAGS: --property assertion
// A number that was computed from an address gives away what lies there.
#include <assert.h>
extern void give(unsigned long);
extern void tell(int, ...);
int main(void) {
    int x = 1, y = 1;
#ifndef TWIN
    give((unsigned long)&x);
#else
    give(4096);
#endif
    long number = (long)&y;
    tell(1, number);
    assert(x == 1);
    return 0;
}
