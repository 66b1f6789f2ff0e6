// EXPECT: false(assertion)
// TWIN: true
// The same with a member that is volatile.
#include <assert.h>
#include "h.h"
struct device { volatile int status; int plain; };
static struct device d;
int main(void) {
#ifndef TWIN
    int x = d.status, y = d.status;
#else
    int x = d.plain, y = d.plain;
#endif
    assert(x == y);
    return 0;
}
