// EXPECT: true
// TWIN: false(assertion)
// FLAGS: --property overflow,assertion
// Times and sizes have the ranges that real ones have.
#include <assert.h>
#include <sys/stat.h>
#include <time.h>
#include "h.h"
int main(void) {
    struct stat s;
    time_t t = time(0);
    if (stat("data", &s))
        return 0;
#ifndef TWIN
    assert(t - s.st_atime == t - s.st_atime);
#else
    assert(s.st_size < 100);
#endif
    return 0;
}
