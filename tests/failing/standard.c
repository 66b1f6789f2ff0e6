// verify: -DLIMIT=4 -UNOTHING --std=c99 --include stdbool.h -I .
// The flags that verify was given are gcc's.
#include <assert.h>
#include "shared.h"
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    bool big = __VERIFIER_nondet_int() > LIMIT + SHARED;
    assert(!big);
    return 0;
}
