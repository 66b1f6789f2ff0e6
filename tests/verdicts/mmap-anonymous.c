// EXPECT: true or unknown
// TWIN: false(unreach-call)
// A mapping without a file holds zeros.
#define _GNU_SOURCE
#include <sys/mman.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#else
    int flags = MAP_PRIVATE;
#endif
    char *p = mmap(0, 4096, PROT_READ | PROT_WRITE, flags, __VERIFIER_nondet_int(), 0);
    if (p == MAP_FAILED)
        return 1;
    if (p[100] != 0)
        reach_error();
    return 0;
}
