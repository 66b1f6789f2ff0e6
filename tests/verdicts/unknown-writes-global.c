// EXPECT: false(assertion)
// TWIN: true
// A function that nobody knows may write variables that other files can name.
#include <assert.h>
#include "h.h"
#ifdef TWIN
static
#endif
unsigned mode;
extern void unknown(void);
int main(void) {
    mode = 0;
    unknown();
    assert(!H(mode));
    return 0;
}
