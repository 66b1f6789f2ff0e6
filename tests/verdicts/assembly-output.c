// EXPECT: false or unknown
// TWIN: true or unknown
// What inline assembly puts out is not invented.
#include <assert.h>
int main(void) {
    int x = 1;
    __asm__("incl %0" : "+r"(x));
#ifndef TWIN
    assert(x == 3);
#else
    assert(x == 2);
#endif
    return 0;
}
