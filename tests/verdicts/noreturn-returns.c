// EXPECT: false(unreach-call)
// TWIN: true
// A function that promises not to return does; nothing says how such a run goes on.
#include <stdlib.h>
#include "h.h"
static _Noreturn void die(int code) {
    if (code)
        exit(code);
#ifdef TWIN
    abort();
#endif
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    if (n % 3 == 0)
        die(H(n) ? 0 : 1);
    die(2);
}
