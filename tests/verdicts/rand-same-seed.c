// EXPECT: true or unknown
// TWIN: false(unreach-call)
// The same seed gives the same numbers.
#include <stdlib.h>
#include "h.h"
int main(void) {
    unsigned seed = __VERIFIER_nondet_uint();
    srand(seed);
    int a = rand();
#ifndef TWIN
    srand(seed);
#endif
    if (rand() != a)
        reach_error();
    return 0;
}
