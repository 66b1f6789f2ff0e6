// EXPECT: true
// TWIN: false
// A jump out of a nested function ends the calls between, and the locals of its function keep their values.
#include <assert.h>
#include "h.h"
static int finished;
static void each(int n, void (*f)(int)) {
    for (int i = 0; i < n; i++)
        f(i);
    finished = 1;
}
int main(void) {
    __label__ out;
    int n = __VERIFIER_nondet_uint() % 4;
    int own = 1, last = -1;
    void step(int i) {
        last = i;
        if (i == 1)
            goto out;
    }
    own = 2;
    each(n, step);
    assert(last == n - 1 && n < 2);
    return 0;
out:
    assert(own == 2 && last == 1);
#ifndef TWIN
    assert(!finished);
#else
    assert(n > 2);
#endif
    return 0;
}
