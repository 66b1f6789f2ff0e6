// EXPECT: false(overflow)
// TWIN: true
// So it does at the remainder, though that would be zero.
#include <limits.h>
static volatile int by = -1;
int main(void) {
    long long least = LLONG_MIN;
    int d = by;
#ifdef TWIN
    if (d == -1)
        d = 1;
#endif
    if (d)
        least %= d;
    return least == 1;
}
