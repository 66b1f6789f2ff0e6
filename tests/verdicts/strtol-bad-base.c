// EXPECT: true
// TWIN: false(unreach-call)
// glibc looks at the base before it touches anything.
#include "h.h"
#include <errno.h>
#include <stdlib.h>
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    char *end = 0;
    long r = strtol("12", &end, H(n) ? 1 : 10);
#ifndef TWIN
    if (H(n) ? end != 0 || errno != EINVAL : r != 12)
        reach_error();
#else
    if (!end)
        reach_error();
#endif
    return 0;
}
