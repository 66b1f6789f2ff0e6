// EXPECT: true
// TWIN: false
// A comparison gives a mask of all ones or zeros: the greatest of each pair by a selection.
#include <assert.h>
#include "h.h"
typedef int v4 __attribute__((vector_size(16)));
int main(void) {
    v4 a = { __VERIFIER_nondet_int(), 1, 2, 3 }, b = { 5, __VERIFIER_nondet_int(), 1, 7 };
    v4 mask = a > b;
    v4 most = (a & mask) | (b & ~mask);
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i > 3)
        return 0;
#ifndef TWIN
    assert(most[i] >= a[i] && most[i] >= b[i]);
#else
    assert(most[i] > a[i] || most[i] > b[i] || i < 1);
#endif
    v4 turned = __builtin_shuffle(most, (v4){ 3, 2, 1, 0 });
    assert(turned[3 - i] == most[i]);
    return 0;
}
