// EXPECT: true
// TWIN: false(assertion)
// localtime returns a valid date.
#include <assert.h>
#include <time.h>
#include "h.h"
int main(void) {
    time_t t = time(0);
    struct tm *r = localtime(&t);
#ifndef TWIN
    assert(!r || (r->tm_mon >= 0 && r->tm_mon < 12));
#else
    assert(!r || r->tm_mon < 11);
#endif
    return 0;
}
