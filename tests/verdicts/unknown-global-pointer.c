// EXPECT: false(assertion)
// TWIN: true
// What a variable leads to that other files can name may change.
#include <assert.h>
#include "h.h"
static unsigned mode;
#ifdef TWIN
static
#endif
unsigned *where = &mode;
extern void unknown(void);
int main(void) {
    *where = 0;
    unknown();
    assert(!H(mode));
    return 0;
}
