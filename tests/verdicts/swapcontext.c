// EXPECT: unknown or false
// TWIN: unknown or true
// Contexts are followed, or the verdict says that they are not.
#include <assert.h>
#include <ucontext.h>
#include "h.h"
static ucontext_t back, there;
static char stack[65536];
static int x;
static void work(void) { x = 1; }
int main(void) {
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof stack;
    there.uc_link = &back;
    makecontext(&there, work, 0);
    swapcontext(&back, &there);
#ifndef TWIN
    assert(x == 0);
#else
    assert(x == 1);
#endif
    return 0;
}
