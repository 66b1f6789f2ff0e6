// EXPECT: true
// TWIN: false(assertion)
// argv[argc] is null; argv[0] need not be there.
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
