#include <assert.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
int main(void) {
    int *p = 0;
    int y = __VERIFIER_nondet_int();
    *p = 1;
    assert(y != 3);
    return 0;
}
