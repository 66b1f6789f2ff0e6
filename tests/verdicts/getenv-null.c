// EXPECT: false
// TWIN: true
// getenv needs a string.
#include <stdlib.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    getenv(NULL);
#else
    getenv("HOME");
#endif
    return 0;
}
