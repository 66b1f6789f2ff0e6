// EXPECT: false(pointer)
// TWIN: true
// A table of handlers with a handler that wants one argument more than it is given.
#include "h.h"
static int none(void) { return 1; }
static int one(int a) { return a; }
static int two(int a, int b) { return a / 2 + b / 2; }
#ifndef TWIN
static int (*const table[])() = {none, one, two};
#else
static int (*const table[])() = {none, one, one};
#endif
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    (void)two;
    return table[H(n) ? 2 : n % 2](7);
}
