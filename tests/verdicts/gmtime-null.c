// EXPECT: false
// TWIN: true
// gmtime needs a time.
#include <time.h>
#include "h.h"
int main(void) {
    time_t t = 0;
#ifndef TWIN
    gmtime(NULL);
#else
    gmtime(&t);
#endif
    return 0;
}
