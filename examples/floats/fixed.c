/* Fixed point with eight binary digits behind the point: there and back is the same. */
#include <assert.h>

extern short __VERIFIER_nondet_short(void);

int main(void)
{
    short n = __VERIFIER_nondet_short();
    float x = n / 256.0f;
    assert((short)(x * 256.0f) == n);
    return 0;
}
