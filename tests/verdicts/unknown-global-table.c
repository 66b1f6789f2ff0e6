// EXPECT: false(assertion)
// TWIN: true
// A large array that other files can name.
#include <assert.h>
#include "h.h"
#ifdef TWIN
static
#endif
unsigned table[1000];
extern void unknown(void);
int main(void) {
    table[700] = 0;
    unknown();
    assert(!H(table[700]));
    return 0;
}
