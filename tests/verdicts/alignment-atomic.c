// EXPECT: true
// TWIN: false(assertion)
// FLAGS: -m32
// Atomic types of eight bytes are aligned to eight bytes, also for 32 bits.
#include "h.h"
extern void __assert_fail(const char *, const char *, unsigned, const char *);
struct plain { char c; long long l; };
struct atomic { char c; _Atomic long long l; };
int main(void) {
#ifndef TWIN
    if (sizeof(struct atomic) != 16)
#else
    if (sizeof(struct plain) != 16)
#endif
        __assert_fail("size", "alignment-atomic.c", 1, "main");
    return 0;
}
