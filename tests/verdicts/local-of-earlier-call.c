// EXPECT: false(pointer)
// TWIN: true
// Each call has its own local, also at the same place.
#include "h.h"
static int *keep;
static void f(int first, unsigned n) {
    int x = 5;
    if (first)
        keep = &x;
    else if (H(n))
#ifndef TWIN
        *keep = 1;
#else
        x = 1;
#endif
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    for (int i = 0; i < 2; i++)
        f(i == 0, n);
    return 0;
}
