// EXPECT: false
// TWIN: true
// No object has more than half of the address space.
#include <stdlib.h>
#include "h.h"
int main(void) {
    int count = __VERIFIER_nondet_int();
#ifdef TWIN
    if (count < 0)
        return 0;
#endif
    char *p = malloc((size_t)count + 1);
    p[0] = 1;
    free(p);
    return 0;
}
