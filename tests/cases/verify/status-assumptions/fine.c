#include <assert.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
int main(void) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x > 3);
    __VERIFIER_assume(x < 5);
    if (x != 4)
        __VERIFIER_assume(0);
    assert(x == 4);
    return 0;
}
