// EXPECT: false(assertion)
// TWIN: true
// qsort calls its comparison.
#include <assert.h>
#include <stdlib.h>
#include "h.h"
static int calls;
static int order(const void *a, const void *b) {
    calls++;
    return *(const int *)a - *(const int *)b;
}
int main(void) {
    int a[2] = {2, 1};
    qsort(a, 2, sizeof *a, order);
#ifndef TWIN
    assert(calls == 0);
#else
    assert(a[0] == 1 && a[1] == 2);
#endif
    return 0;
}
