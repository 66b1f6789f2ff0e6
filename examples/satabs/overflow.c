/* A number plus one is greater than the number, except for the greatest. */
#include <assert.h>

int __VERIFIER_nondet_int(void);

int main(void)
{
    int x, y = __VERIFIER_nondet_int();
    x = y;
    y = y + 1;
    assert(y > x);
    return 0;
}
