#include <assert.h>
struct item { int n; };
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
int sensor(struct item *item, int channel);
int main(void)
{
    struct item item = {0};
    int x = __VERIFIER_nondet_int();
    unsigned char c = __VERIFIER_nondet_uchar();
    __VERIFIER_assume(x < 0);
    if (sensor(&item, 2) == 99 && c == 200)
        assert(x != -2147483647 - 1);
    return 0;
}
