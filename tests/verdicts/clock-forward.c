// EXPECT: true
// TWIN: false(unreach-call)
// Clocks do not go back, but they go on.
#include <time.h>
#include "h.h"
int main(void) {
    struct timespec a, b;
    if (clock_gettime(CLOCK_MONOTONIC, &a) || clock_gettime(CLOCK_MONOTONIC, &b))
        return 1;
    time_t one = time(0), other = time(0);
#ifndef TWIN
    if (b.tv_sec < a.tv_sec || other < one)
#else
    if (b.tv_sec > a.tv_sec && other > one)
#endif
        reach_error();
    return 0;
}
