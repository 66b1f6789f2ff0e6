// EXPECT: false(unreach-call)
// TWIN: true
// The name of a file is not empty.
#include <dirent.h>
#include "h.h"
int main(void) {
    DIR *folder = opendir(".");
    if (!folder)
        return 0;
    struct dirent *entry = readdir(folder);
#ifndef TWIN
    if (entry && entry->d_name[0] != '.')
#else
    if (entry && entry->d_name[0] == 0)
#endif
        reach_error();
    closedir(folder);
    return 0;
}
