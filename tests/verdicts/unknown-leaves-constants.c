// EXPECT: false(assertion)
// TWIN: true
// Constants stay as they are, also those that other files can name.
#include <assert.h>
#include "h.h"
#ifdef TWIN
const
#endif
unsigned limit = 3;
extern void unknown(void);
int main(void) {
    unknown();
    assert(limit == 3);
    return 0;
}
