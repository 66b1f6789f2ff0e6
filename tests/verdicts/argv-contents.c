// EXPECT: false(assertion)
// TWIN: true
// An argument may be any string.
#include <assert.h>
#include "h.h"
int main(int argc, char **argv) {
    if (argc == 2 && argv[1][0] == 'q' && argv[1][1] == 'z')
#ifndef TWIN
        assert(argv[1][2] != 0);
#else
        assert(argv[1][1] != 0);
#endif
    return 0;
}
