// EXPECT: false(pointer)
// TWIN: true
// A pointer to a nested function outlives the variables that it works on.
#include <assert.h>
#include "h.h"
int (*kept)(void);
static int set(int n) {
    int get(void) { return n; }
    kept = get;
    return kept();
}
int main(void) {
    int n = set(__VERIFIER_nondet_int());
#ifdef TWIN
    kept = 0;
#endif
    if (kept)
        n = kept();
    return n == 7;
}
