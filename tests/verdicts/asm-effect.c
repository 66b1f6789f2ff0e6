// EXPECT: false(assertion)
// TWIN: true
// What the operands of assembly do is done once.
#include <assert.h>
int main(void) {
    int a[3] = {0}, *p = a, i = 0;
    __asm__ volatile("movl $2, %0" : "=m"(*p++), "+m"(a[i++]) : : "memory");
#ifndef TWIN
    assert(p != a + 1 || i != 1);
#else
    assert(p == a + 1 && i == 1);
#endif
    return 0;
}
