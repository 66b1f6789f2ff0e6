// EXPECT: false(assertion)
// TWIN: true
// The next readdir overwrites what the last one returned.
#include <assert.h>
#include <dirent.h>
int main(void) {
    DIR *d = opendir(".");
    if (!d)
        return 0;
    struct dirent *e = readdir(d);
    if (e) {
        char first = e->d_name[0];
#ifndef TWIN
        readdir(d);
#endif
        assert(e->d_name[0] == first);
    }
    closedir(d);
    return 0;
}
