// EXPECT: false
// TWIN: true
// qsort touches all its elements.
#include <stdlib.h>
#include "h.h"
static int less(const void *p, const void *q) { return *(const int *)p - *(const int *)q; }
int main(void) {
    int a[3] = {3, 1, 2};
#ifndef TWIN
    qsort(a, 4, sizeof *a, less);
#else
    qsort(a, 3, sizeof *a, less);
#endif
    return 0;
}
