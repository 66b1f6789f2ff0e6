// EXPECT: true
// TWIN: false(assertion)
// mktime normalises.
#include <assert.h>
#include <time.h>
#include "h.h"
int main(void) {
    struct tm r = {.tm_year = 120, .tm_mon = 13, .tm_mday = 5};
#ifndef TWIN
    assert(mktime(&r) == -1 || r.tm_mon == 1);
#else
    assert(mktime(&r) == -1 || r.tm_mon == 13);
#endif
    return 0;
}
