// EXPECT: false(pointer)
// TWIN: true
// Mapped memory ends with munmap.
#include <sys/mman.h>
int main(void) {
    char *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return 0;
    p[4095] = 1;
#ifndef TWIN
    munmap(p, 4096);
    return p[0];
#else
    char c = p[0];
    munmap(p, 4096);
    return c;
#endif
}
