// EXPECT: true or unknown
// TWIN: false(unreach-call)
// What is closed cannot be closed again.
#include <fcntl.h>
#include <unistd.h>
#include "h.h"
int main(void) {
    int a = open("one", O_RDONLY);
    if (a < 0)
        return 1;
#ifndef TWIN
    close(a);
#endif
    if (close(a) == 0)
        reach_error();
    return 0;
}
