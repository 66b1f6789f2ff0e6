// EXPECT: true
// TWIN: false(unreach-call)
// What newer headers make of strtol reads binary numbers; the old one does not.
#include "h.h"
#include <stdlib.h>
extern long newer(const char *, char **, int) __asm__("__isoc23_strtol");
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    char *end;
    const char *text = H(n) ? "0b101x" : "0b2";
#ifndef TWIN
    long r = newer(text, &end, 0);
    if (H(n) ? r != 5 || *end != 'x' : r != 0 || *end != 'b')
        reach_error();
#else
    if (strtol(text, &end, 0) == 0 && H(n))
        reach_error();
#endif
    return 0;
}
