// EXPECT: true
// TWIN: false(bounds)
// FLAGS: -m32
// The element before the first lies far outside in 32 bits: the encoder must not overflow on the way there.
#include "h.h"
void *malloc(unsigned);
void free(void *);
int main(void) {
    int n = __VERIFIER_nondet_int(), i, last;
    if (n <= 0 || n > 3)
        return 0;
    int *a = malloc(sizeof(int) * n);
    for (i = 0; i < n; i++)
        a[i] = i;
#ifndef TWIN
    last = a[i - 1];
#else
    last = a[i];
#endif
    free(a);
    return last < 0;
}
