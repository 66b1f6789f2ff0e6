// EXPECT: unknown
// TWIN: true
// Assembly that says `memory` may write through a pointer that it counts up itself.
#include <assert.h>
int main(void) {
    int a[4] = {0};
    int *d = a;
    unsigned long n = 4;
#ifndef TWIN
    __asm__ volatile("rep stosl" : "+D"(d), "+c"(n) : "a"(7) : "memory");
#else
    __asm__ volatile("pause" : "+D"(d), "+c"(n) : "a"(7) : "memory");
#endif
    assert(a[0] == 0);
    return 0;
}
