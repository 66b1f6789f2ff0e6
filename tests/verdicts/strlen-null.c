// EXPECT: false
// TWIN: true
// strlen needs a string.
#include <string.h>
#include "h.h"
int main(void) {
    char *p = 0;
    if (p)
        p++;
#ifndef TWIN
    strlen(p);
#else
    strlen("a");
#endif
    return 0;
}
