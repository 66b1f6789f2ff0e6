// EXPECT: false(assertion)
// TWIN: true
// An empty template hides a value from the optimiser and changes nothing.
#include <assert.h>
int main(void) {
    int x = 1, y, z;
    long w;
    __asm__ volatile("" : "+r"(x));
    __asm__("" : "=r"(y) : "0"(x + 1));
    __asm__("" : [out] "=r"(z), "=r"(w) : [in] "[out]"(y), "1"(3L));
#ifndef TWIN
    assert(x != 1 || y != 2 || z != 2 || w != 3);
#else
    assert(x == 1 && y == 2 && z == 2 && w == 3);
#endif
    return 0;
}
