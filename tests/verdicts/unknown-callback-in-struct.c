// EXPECT: unknown or false(assertion)
// TWIN: true
// A function whose address lies where an argument leads to may be called.
#include <assert.h>
#include "h.h"
struct handler { int priority; void (*run)(void); };
static int x;
static void set(void) { x = 1; }
extern void unknown(struct handler *);
int main(void) {
    struct handler handler = {3, 0};
    void (*volatile mine)(void) = set;
#ifndef TWIN
    handler.run = set;
#endif
    unknown(&handler);
    assert(x == 0);
    return mine == 0;
}
