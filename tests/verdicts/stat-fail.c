// EXPECT: false
// TWIN: true
// FLAGS: --property assertion
// If stat fails, its buffer is as it was, whatever real sizes are.
#include <sys/stat.h>
#include <assert.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    struct stat s;
    s.st_size = -1;
    stat("a", &s);
    assert(s.st_size >= 0);
#else
    struct stat s;
    s.st_size = 1;
    if (stat("a", &s)) return 0;
    assert(s.st_size >= 0);
#endif
    return 0;
}
