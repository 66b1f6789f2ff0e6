// EXPECT: false(assertion)
// TWIN: true
// FLAGS: --property assertion
// The result may be the address of a variable that other files can name, or of a part of it.
#include <assert.h>
#include "h.h"
struct settings { char name[3]; int mode; };
#ifdef TWIN
static
#endif
struct settings settings;
extern int *unknown(void);
int main(void) {
    int *p = unknown();
    settings.mode = 0;
    if (p)
        *p = 5;
    assert(settings.mode == 0);
    return 0;
}
