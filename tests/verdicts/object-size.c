// EXPECT: false
// TWIN: true
// The compiler knows how large a local array is.
#include <assert.h>
#include "h.h"
int main(void) {
    char b[5];
    unsigned n = __VERIFIER_nondet_uint();
    if (H(n))
#ifndef TWIN
        assert(__builtin_object_size(b, 0) > 5);
#else
        assert(__builtin_object_size(b + 1, 0) == 4);
#endif
    return 0;
}
