#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int x = __VERIFIER_nondet_int();
    assert(x != 3);
    assert(x != 4);
    return 0;
}
