// EXPECT: false(pointer)
// TWIN: true
// A record among unnamed arguments arrives with all of its members.
#include <stdarg.h>
#include <assert.h>
#include "h.h"
struct two { int *p; int k; };
static void put(int count, ...) {
    va_list list;
    va_start(list, count);
    struct two a = va_arg(list, struct two);
    struct two b = va_arg(list, struct two);
    va_end(list);
    *a.p = b.k;
    *b.p = a.k;
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int x = 0, y = 0;
    struct two a = {&x, 5}, b = {&y, 7};
    {
        int inner = 0;
        if (H(n)) {
#ifndef TWIN
            b.p = &inner;
#else
            b.p = &y;
#endif
        }
    }
    put(2, a, b);
    assert(x == 7 && y == 5);
    return 0;
}
