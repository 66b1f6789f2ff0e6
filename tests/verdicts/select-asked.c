// EXPECT: false(unreach-call)
// TWIN: true
// select leaves some of those that it was asked about, and says how many.
#include <sys/select.h>
#include "h.h"
int main(void) {
    fd_set set;
    struct timeval t = {0, 0};
    FD_ZERO(&set);
    FD_SET(3, &set);
    int ready = select(4, &set, 0, 0, &t);
#ifndef TWIN
    if (ready == 1 && FD_ISSET(3, &set))
        reach_error();
#else
    if (ready == 0 && FD_ISSET(3, &set))
        reach_error();
    if (ready == 1 && !FD_ISSET(3, &set))
        reach_error();
    if (ready > 1 || FD_ISSET(2, &set))
        reach_error();
#endif
    return 0;
}
