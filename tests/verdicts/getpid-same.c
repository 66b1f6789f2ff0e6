// EXPECT: true or unknown
// TWIN: false(unreach-call)
// A process has one number, whatever that is.
#include <unistd.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    if (getpid() != getpid())
#else
    if (getpid() != 17)
#endif
        reach_error();
    return 0;
}
