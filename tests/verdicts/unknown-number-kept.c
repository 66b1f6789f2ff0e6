// EXPECT: false(assertion)
// TWIN: true
// FLAGS: --property assertion
// Numbers in variables that other files know, and in records that are passed, may be addresses, too.
#include <assert.h>
struct handle { unsigned long address; int kind; };
unsigned long slot;
extern void tick(void);
extern void take(struct handle);
int main(void) {
    int x = 1, y = 1;
    struct handle handle = {0, 1};
#ifndef TWIN
    slot = (unsigned long)&x;
    handle.address = (unsigned long)&y;
#endif
    tick();
    take(handle);
    assert(x == 1 && y == 1);
    return 0;
}
