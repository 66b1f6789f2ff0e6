// EXPECT: true
// TWIN: false(bounds)
// A descriptor may be too large for a table.
#include <fcntl.h>
#include "h.h"
int main(void) {
    static char table[1024];
    int fd = open("one", O_RDONLY);
#ifndef TWIN
    if (fd >= 0 && fd < 1024)
#else
    if (fd >= 0)
#endif
        table[fd] = 1;
    return 0;
}
