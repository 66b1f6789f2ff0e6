// verify:
// The run that is shown takes zero for what was never written, since that fails too: gcc's
// program has no other value.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int x, v = __VERIFIER_nondet_int();
    if (v != 3)
        x = v;
    assert(x > 5);
    return 0;
}
