// EXPECT: false(pointer)
// TWIN: true
// The arguments of execl end with a null pointer.
#include <unistd.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    char *last = 0;
#ifndef TWIN
    if (H(n))
        last = "x";
#endif
    execl("/bin/sh", "sh", "-c", last);
    return 0;
}
