// EXPECT: false(assertion)
// TWIN: true
// Functions of other types are among those that a pointer may lead to; the call never goes there.
#include <assert.h>
#include "h.h"
struct pair { int a, b; };
static int record(struct pair v) { return v.a; }
static struct pair both(int x) { struct pair p = {x, x}; return p; }
static int number(int x) { return x; }
int main(void) {
    int (*call)() = number;
    unsigned n = __VERIFIER_nondet_uint();
    while (__VERIFIER_nondet_int()) {
        if (n == 77)
            call = record;
        if (n == 78)
            call = (int (*)())both;
        n++;
    }
    if (call == number)
#ifndef TWIN
        assert(call(H(n) ? 4 : 3) == 3);
#else
        assert(call(3) == 3);
#endif
    return 0;
}
