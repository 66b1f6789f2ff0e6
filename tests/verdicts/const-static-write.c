// EXPECT: false(pointer)
// TWIN: true
// The same with static memory and a function in between.
#include "h.h"
#ifndef TWIN
static const int table[3] = {1, 2, 3};
#else
static int table[3] = {1, 2, 3};
#endif
static void set(int *p) { *p = 9; }
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (H(n))
        set((int *)&table[1]);
    return 0;
}
