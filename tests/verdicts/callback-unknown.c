// EXPECT: unknown or false
// TWIN: true or unknown
// An unknown function may call what it is given, also later, from another unknown function: nobody
// follows that, so that no failure is no proof.
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
