// EXPECT: unknown
// TWIN: true
// What is left of a mapping of which a part was unmapped is not told apart.
#include <sys/mman.h>
int main(void) {
    char *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return 1;
#ifndef TWIN
    munmap(p + 4096, 4096);
    p[5000] = 1;
#else
    p[5000] = 1;
    munmap(p, 8000);
#endif
    return 0;
}
