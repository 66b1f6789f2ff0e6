// EXPECT: unknown
// TWIN: true
// Assembly that says `memory` may change what it is given. A fence does not.
#include <assert.h>
int main(void) {
    int x = 1, y = 2;
    int *p = &x;
#ifndef TWIN
    __asm__ volatile("movl $2, (%0)" : : "r"(p) : "memory");
#else
    __asm__ volatile("mfence" : : "r"(p) : "memory");
    __asm__ volatile("rep; nop" : : "r"(p) : "memory");
    __asm__ volatile("lock; addl $0,0(%%rsp)" : : : "memory");
    __asm__ volatile("" : : "r"(p), "m"(y) : "memory");
    __asm__ volatile("movl %0, %%eax" : : "r"(y) : "eax", "memory");
#endif
    assert(x == 1);
    return y;
}
