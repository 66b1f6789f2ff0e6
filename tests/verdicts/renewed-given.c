// EXPECT: false
// TWIN: true
// A function that nobody knows may keep what it is given, and changes it later; what it was not given stays.
#include <assert.h>
#include <stdlib.h>
#include "h.h"
extern void keep(unsigned *p);
extern void later(void);
int main(void) {
    unsigned *p = 0, *kept = 0;
    while (__VERIFIER_nondet_int()) {
        kept = p;
        p = malloc(sizeof *p);
        *p = 0;
        if (kept) *kept = 0;
        later();
#ifndef TWIN
        if (kept) assert(!H(*kept));
#else
        assert(*p == 0);
#endif
        keep(p);
    }
    return 0;
}
