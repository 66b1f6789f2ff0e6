// EXPECT: false(assertion)
// TWIN: true
// FLAGS: --property assertion
// What an unknown function is given counts from then on, not before.
#include <assert.h>
extern void get(int *);
extern void log_it(int);
int main(void) {
    int x = 0;
#ifndef TWIN
    get(&x);
    x = 0;
    log_it(1);
    assert(x == 0);
#else
    log_it(1);
    assert(x == 0);
    get(&x);
#endif
    return 0;
}
