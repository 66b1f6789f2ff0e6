// EXPECT: false(unreach-call)
// TWIN: true
// The current folder has an absolute path.
#include <string.h>
#include <unistd.h>
#include "h.h"
int main(void) {
    char b[8];
    if (!getcwd(b, sizeof b))
        return 0;
#ifndef TWIN
    if (b[1])
#else
    if (b[0] != '/' || strlen(b) > 7)
#endif
        reach_error();
    return 0;
}
