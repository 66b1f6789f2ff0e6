// EXPECT: false(unreach-call)
// TWIN: true
// The end of a directory is no error, and leaves errno as it was.
#include "h.h"
#include <dirent.h>
#include <errno.h>
int main(void) {
    DIR *d = opendir(".");
    if (!d)
        return 1;
    errno = 0;
    struct dirent *e = readdir(d);
#ifndef TWIN
    if (!e && errno == 0)
        reach_error();
#else
    if (e && e->d_name[0] == 0)
        reach_error();
#endif
    closedir(d);
    return 0;
}
