// EXPECT: true or unknown
// TWIN: false(unreach-call)
// What is set can be read.
#include <stdlib.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    if (setenv("MODE", "fast", 1) != 0)
        return 1;
#endif
    const char *mode = getenv("MODE");
    if (!mode || mode[0] != 'f')
        reach_error();
    return 0;
}
