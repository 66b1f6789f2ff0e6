// EXPECT: true
// TWIN: false(assertion)
// There are never more arguments than the system can pass.
#include <assert.h>
int main(int argc, char **argv) {
#ifndef TWIN
    assert(argc >= 0 && argc < 3000000);
#else
    assert(argc < 20);
#endif
    return 0;
}
