// EXPECT: false
// TWIN: true
// Each of the pieces that writev is given can be read.
#include <sys/uio.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    char a[4] = "abc", b[4] = "def";
    struct iovec list[2] = {{a, sizeof a}, {b, sizeof b}};
    if (H(n)) {
#ifndef TWIN
        list[1].iov_len = 5;
#else
        list[1].iov_len = 0;
#endif
    }
    return writev(1, list, 2) > 8;
}
