// EXPECT: false(unreach-call)
// TWIN: true
// poll tells what it was asked, and errors; and says of how many.
#include <poll.h>
#include "h.h"
int main(void) {
    struct pollfd list[2] = {{0, POLLIN, 0}, {-1, POLLIN, 0}};
    int ready = poll(list, 2, 100);
#ifndef TWIN
    if (ready == 1 && (list[0].revents & POLLHUP))
        reach_error();
#else
    if (ready == 0 && list[0].revents)
        reach_error();
    if (ready == 1 && !list[0].revents)
        reach_error();
    if (ready >= 0 && ((list[0].revents & POLLOUT) || list[1].revents))
        reach_error();
#endif
    return 0;
}
