// EXPECT: true
// TWIN: false(assertion)
// open returns a descriptor or -1.
#include <assert.h>
#include <fcntl.h>
#include "h.h"
int main(void) {
    int fd = open("data", O_RDONLY);
#ifndef TWIN
    assert(fd >= -1);
#else
    assert(fd >= 0);
#endif
    return 0;
}
