// EXPECT: false(pointer)
// TWIN: true
// A call that fails says why, and code that asks is reached.
#include <errno.h>
#include <stdio.h>
#include "h.h"
int main(void) {
    int *nothing = 0, x = 1;
    errno = 0;
    FILE *f = fopen("settings", "r");
    if (f) {
        fclose(f);
        return 0;
    }
#ifndef TWIN
    if (errno == ENOENT)
#else
    if (errno == 0)
#endif
        return *nothing;
    return x;
}
