// EXPECT: false(unreach-call)
// TWIN: true
// The end of the input is no error.
#include "h.h"
#include <errno.h>
#include <stdio.h>
int main(void) {
    int v;
    errno = 0;
    int r = scanf("%d", &v);
#ifndef TWIN
    if (r == EOF && errno == 0)
        reach_error();
#else
    if (r > 1 || r < -1)
        reach_error();
#endif
    return 0;
}
