// EXPECT: false(assertion)
// TWIN: true
// There may be several arguments, and argc is not negative.
#include <assert.h>
#include "h.h"
int main(int argc, char **argv) {
#ifndef TWIN
    assert(argc < 3);
#else
    assert(argc >= 0);
#endif
    return 0;
}
