// EXPECT: true
// TWIN: false(unreach-call)
// Only a sleep that ends early says what is left.
#define _GNU_SOURCE
#include "h.h"
#include <time.h>
int main(void) {
    struct timespec want = {2, 5}, rest = {7, 7};
    int r = nanosleep(&want, &rest);
#ifndef TWIN
    if (r == 0 && rest.tv_sec != 7)
        reach_error();
    if (rest.tv_sec != 7 && (rest.tv_sec < 0 || rest.tv_sec > 2))
        reach_error();
#else
    if (rest.tv_sec == 1)
        reach_error();
#endif
    return 0;
}
