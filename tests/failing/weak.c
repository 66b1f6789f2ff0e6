// verify:
// Weak functions and constructors are gcc's business.
#include <assert.h>
__attribute__((weak)) int hook(int x) { return x; }
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    assert(hook(__VERIFIER_nondet_int()) != 3);
    return 0;
}
