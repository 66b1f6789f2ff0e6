// EXPECT: true
// TWIN: false(unreach-call)
// A set holds the signals that were put into it.
#include <signal.h>
#include "h.h"
int main(void) {
    sigset_t set;
    int number = __VERIFIER_nondet_int();
    if (number < 1 || number > 31)
        return 1;
    sigemptyset(&set);
    sigaddset(&set, number);
#ifdef TWIN
    if (H(__VERIFIER_nondet_uint()))
        sigdelset(&set, SIGINT);
#endif
    if (sigismember(&set, number) != 1)
        reach_error();
    return 0;
}
