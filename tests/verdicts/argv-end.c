// EXPECT: true or unknown
// TWIN: false(assertion)
// argv[argc] is null; argv[0] need not be there. Arguments are covered up to a bound only, so that no
// failure is no proof: what lies beyond is unknown, and never false.
#include <assert.h>
#include "h.h"
int main(int argc, char **argv) {
#ifndef TWIN
    assert(argv[argc] == 0);
#else
    assert(argv[0] != 0);
#endif
    return 0;
}
