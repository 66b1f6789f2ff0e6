// EXPECT: false(unreach-call)
// TWIN: true
// Narrower numbers are promoted, and converting the quotient back wraps.
#include "h.h"
#include <limits.h>
int main(void) {
    short least = SHRT_MIN, by = __VERIFIER_nondet_int() ? -1 : 1;
    least /= by;
#ifdef TWIN
    if (least != SHRT_MIN)
#else
    if (least == SHRT_MIN)
#endif
        reach_error();
    return 0;
}
