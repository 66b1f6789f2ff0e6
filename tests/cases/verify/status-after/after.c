#include <assert.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    assert(x > 0);
    assert(x >= 0);
    if (x < 0)
        assert(x < 9);
    if (x > 5 && x < 3)
        assert(y == 7);
    assert(x != 0 || y < 5);
    assert(y == y + 0);
    return 0;
}
