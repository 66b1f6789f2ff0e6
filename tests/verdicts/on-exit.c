// EXPECT: false(assertion)
// TWIN: true
// What on_exit registers is given the status and its argument, the last one first.
#include <assert.h>
#include <stdlib.h>
int on_exit(void (*function)(int, void *), void *arg);
#include "h.h"
static int first = 1, second = 2, seen;
static void last(int status, void *arg) {
    if (seen == 0)
        assert(*(int *)arg == 2);
    seen++;
#ifndef TWIN
    assert(status != 3);
#else
    assert(status == 3);
#endif
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (!H(n))
        return 0;
    on_exit(last, &first);
    on_exit(last, &second);
    exit(3);
}
