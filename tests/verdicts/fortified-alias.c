// EXPECT: unknown or true
// TWIN: unknown or false(assertion)
// A copy for calls in this file that calls the original by another name does not call itself.
#include <assert.h>
extern int measure(int);
extern int measure_original(int) __asm__("measure");
extern __inline __attribute__((__gnu_inline__)) int measure(int n) { return measure_original(n); }
int main(void) {
    int n = measure(3);
#ifndef TWIN
    assert(n == n);
#else
    assert(n < 100);
#endif
    return 0;
}
