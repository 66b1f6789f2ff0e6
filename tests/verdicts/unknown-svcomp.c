// EXPECT: true
// TWIN: false(unreach-call)
// FLAGS: --prop G ! call(reach_error())
// SV-COMP's rule: a function without a body writes what its arguments lead to, and nothing else.
#include "h.h"
unsigned mode;
extern void unknown(void), writes(unsigned *);
int main(void) {
    mode = 0;
#ifndef TWIN
    unknown();
#else
    writes(&mode);
#endif
    if (mode == 3)
        reach_error();
    return 0;
}
