// EXPECT: true
// TWIN: false(bounds)
// A struct with an array of variable length has members after it where its length says, and so many bytes.
#include <assert.h>
#include "h.h"
int main(void) {
    int n = 3, k = __VERIFIER_nondet_uint() % 3;
    struct s { char v[n]; char end; short last; } x;
    assert(sizeof x == 6);
    x.end = 7;
    x.v[k] = 5;
    x.last = 3;
    assert(x.end == 7 && x.v[k] == 5 && x.last == 3);
#ifdef TWIN
    x.v[k + 4] = 1;
#endif
    return 0;
}
