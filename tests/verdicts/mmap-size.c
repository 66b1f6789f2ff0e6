// EXPECT: false(bounds)
// TWIN: true
// Mapped memory has an end.
#include <sys/mman.h>
#include "h.h"
int main(void) {
    char *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return 0;
#ifndef TWIN
    p[4096] = 1;
#else
    p[4095] = 1;
#endif
    return 0;
}
