// EXPECT: unknown or true
// TWIN: false
// What is rounded upwards is not rounded to nearest, and no run to nearest says otherwise.
#include <assert.h>
#include <fenv.h>
#include <math.h>
int main(void) {
    fesetround(FE_UPWARD);
#ifndef TWIN
    assert(rint(2.25) == 3.0);
#else
    fesetround(FE_TONEAREST);
    int two = 2;
    assert(two == 3);
#endif
    return 0;
}
