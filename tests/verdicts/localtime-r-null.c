// EXPECT: false
// TWIN: true
// localtime_r needs both arguments.
#include <time.h>
#include "h.h"
int main(void) {
    time_t t = 0;
    struct tm r;
#ifndef TWIN
    localtime_r(NULL, &r);
#else
    localtime_r(&t, &r);
#endif
    return 0;
}
