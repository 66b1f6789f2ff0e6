// EXPECT: false(assertion)
// TWIN: true
// FLAGS: -D_GNU_SOURCE
// assert_perror fails unless it is given 0.
#include <assert.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
#ifndef TWIN
    assert_perror((int)n);
#else
    assert_perror(n ? 0 : (int)n);
#endif
    return 0;
}
