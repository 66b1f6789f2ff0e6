// EXPECT: false(pointer)
// TWIN: true
// A directory is no stream.
#include <dirent.h>
#include <stdio.h>
int main(void) {
    DIR *d = opendir(".");
    if (!d)
        return 0;
#ifndef TWIN
    fclose((FILE *)d);
#else
    closedir(d);
#endif
    return 0;
}
