// EXPECT: true
// TWIN: false
// A nested function changes the variables around it, called by name and through a pointer.
#include <assert.h>
#include "h.h"
static void repeat(int n, void (*step)(int)) {
    for (int i = 0; i < n; i++)
        step(i);
}
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 3)
        return 0;
    int sum = 0;
    void add(int i) { sum += i; }
    repeat(n, add);
    add(10);
#ifndef TWIN
    assert(sum == 10 + n * (n - 1) / 2);
#else
    assert(sum < 13);
#endif
    return 0;
}
