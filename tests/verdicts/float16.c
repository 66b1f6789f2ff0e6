// EXPECT: true
// TWIN: false
// Arithmetic on _Float16 has the digits of float until it is stored; then it is rounded once.
#include <assert.h>
#include "h.h"
int main(void) {
    _Float16 x = __VERIFIER_nondet_uint() % 256;
    _Float16 y = 2048;
    _Float16 sum = x + y;
    assert(x + y == x + 2048.0f);
    assert(sum >= 2048 && sum <= 2304);
#ifndef TWIN
    if (x == 1)
        assert(sum == 2048 && (_Float16)65519.0 < (_Float16)65520.0);
#else
    assert(sum == x + y);
#endif
    return 0;
}
