#include <assert.h>
#include "limit.h"
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int n = __VERIFIER_nondet_int();
    assert(n < limit() + MORE);
    return 0;
}
