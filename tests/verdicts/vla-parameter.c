// EXPECT: true
// TWIN: false(assertion)
// What the size of an array parameter does is done, although the parameter is a pointer.
#include <assert.h>
#include "h.h"
static int count(int n, int list[n++]) { return list ? n : 0; }
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int list[3] = {0};
#ifndef TWIN
    if (H(n))
        assert(count(2, list) == 3);
#else
    if (H(n))
        assert(count(2, list) == 2);
#endif
    return 0;
}
