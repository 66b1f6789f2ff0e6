#include <assert.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);

int main(void) {
    int x = __VERIFIER_nondet_int();
    unsigned n = (unsigned)__VERIFIER_nondet_int();
    if (x > 10 && x < 5)
        assert(x == 1);
    if (x > 10)
        assert(x > 9);
    if (n * 7u == 3u) {
        int a[2] = {0, 1};
        assert(a[n & 1] < 2);
    }
    if (0)
        assert(0);
    return 0;
}
