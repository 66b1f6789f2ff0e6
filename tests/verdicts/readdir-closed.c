// EXPECT: false(pointer)
// TWIN: true
// What readdir returns belongs to the directory, and ends with it.
#include <dirent.h>
int main(void) {
    DIR *d = opendir(".");
    if (!d)
        return 0;
    struct dirent *e = readdir(d);
    char first = 0;
#ifdef TWIN
    if (e)
        first = e->d_name[0];
#endif
    closedir(d);
#ifndef TWIN
    if (e)
        first = e->d_name[0];
#endif
    return first;
}
