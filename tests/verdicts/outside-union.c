// EXPECT: unknown or false(assertion)
// TWIN: true
// A pointer to a function in a union may also be any number.
#include <assert.h>
#include "h.h"
static union both {
    int (*call)(int);
    unsigned n;
} both;
extern void fill(union both *);
extern int (*hook)(int);
int main(void) {
    fill(&both);
    unsigned n = both.n;
#ifndef TWIN
    assert(!H(n));
#else
    assert(n == both.n);
#endif
    return hook ? hook(1) : 0;
}
