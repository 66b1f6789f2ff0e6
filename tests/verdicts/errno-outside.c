// EXPECT: false(pointer)
// TWIN: true
// A function that nobody knows may set errno.
#include <errno.h>
#include "h.h"
int outside(void);
int main(void) {
    int *nothing = 0, x = 1;
    errno = 0;
    outside();
#ifdef TWIN
    errno = 0;
#endif
    if (errno == 7)
        return *nothing;
    return x;
}
