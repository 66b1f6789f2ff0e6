// EXPECT: true or unknown
// TWIN: false(unreach-call)
// A pipe has two ends, and one gives what the other was given.
#include <unistd.h>
#include "h.h"
int main(void) {
    int ends[2];
    char c = 'x';
    if (pipe(ends) != 0)
        return 1;
#ifndef TWIN
    if (ends[0] == ends[1])
        reach_error();
    if (write(ends[1], "q", 1) == 1 && read(ends[0], &c, 1) == 1 && c != 'q')
        reach_error();
#else
    if (read(0, &c, 1) == 1 && c != 'q')
        reach_error();
#endif
    return 0;
}
