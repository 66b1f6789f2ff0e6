// EXPECT: unknown or false
// TWIN: true
// An unknown function may call what it is given.
#include <assert.h>
#include "h.h"
static int x;
static void set(void) { x = 1; }
static void leave(void) { x = 0; }
extern void unknown(void (*)(void));
int main(void) {
#ifndef TWIN
    void (*f)(void) = set;
#else
    void (*f)(void) = leave;
#endif
    unknown(f);
    assert(x == 0);
    return 0;
}
