// EXPECT: true or unknown
// TWIN: false(unreach-call)
// A descriptor that is open is not handed out again.
#include <fcntl.h>
#include <unistd.h>
#include "h.h"
int main(void) {
    int a = open("one", O_RDONLY), b = dup(0);
    if (a < 0 || b < 0)
        return 1;
#ifndef TWIN
    if (a == b || a == 0)
        reach_error();
#else
    close(a);
    int c = open("two", O_RDONLY);
    if (c == a)
        reach_error();
#endif
    return 0;
}
