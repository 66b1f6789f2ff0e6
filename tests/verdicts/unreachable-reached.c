// EXPECT: false(unreach-call)
// TWIN: true
// The program says that control never comes to a place, and it does.
#include "h.h"
static int digits(unsigned n) {
    switch (n & 3) {
    case 0: return 1;
    case 1: return 10;
    case 2: return 100;
#ifdef TWIN
    case 3: return 1000;
#else
    case 3:
        if (!H(n + 1))
            return 1000;
#endif
    }
    __builtin_unreachable();
}
int main(void) { return digits(__VERIFIER_nondet_uint()) == 7; }
