// EXPECT: false(assertion)
// TWIN: true
// A read that fails says why in errno.
#include <assert.h>
#include <errno.h>
#include <unistd.h>
int main(void) {
    char b[4];
    errno = 0;
    long r = read(3, b, sizeof b);
#ifndef TWIN
    if (r < 0)
        assert(errno == 0);
#else
    if (r < 0)
        assert(errno != 0);
#endif
    return 0;
}
