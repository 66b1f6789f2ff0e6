// EXPECT: unknown
// TWIN: true
// Assembly that says `memory` may change variables that it can name, and what it can reach from an operand in memory.
#include <assert.h>
int g;
struct node { struct node *next; int v; };
int main(void) {
    struct node b = {0, 2}, a = {&b, 1};
#ifndef TWIN
    __asm__ volatile("movl $2, g(%%rip)" : : : "memory");
    __asm__ volatile("call change" : : "m"(a) : "memory");
#else
    __asm__ volatile("sfence" : : "m"(a) : "memory");
#endif
    assert(g == 0 && b.v == 2);
    return 0;
}
