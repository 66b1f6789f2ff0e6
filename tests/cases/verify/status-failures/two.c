#include <assert.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
int table[4];
int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    if (x == 7)
        assert(y != 3);
    if (y > 100 && y < 103)
        table[y - 98] = 1;
    table[x & 3] = 2;
    assert((x & 1) < 2);
    return 0;
}
