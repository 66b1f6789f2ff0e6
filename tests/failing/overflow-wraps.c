// verify:
// Signed overflow wraps where it is not what fails.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int x = __VERIFIER_nondet_int();
    int y = x + 1;
    assert(x < y);
    return 0;
}
