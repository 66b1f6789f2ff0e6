// EXPECT: false
// TWIN: true
// Directories are closed once, like streams.
#include <dirent.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    DIR *d = opendir(".");
    if (!d) return 0;
    closedir(d);
    closedir(d);
#else
    DIR *d = opendir(".");
    if (!d) return 0;
    closedir(d);
#endif
    return 0;
}
