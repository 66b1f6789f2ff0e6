#include <assert.h>
extern int __VERIFIER_nondet_int(void);

/* Fills an array of any length, and looks at every cell. */
int main(void)
{
    static int a[1000000];
    int n = __VERIFIER_nondet_int(), value = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000000)
        return 0;
    for (int i = 0; i < n; i++)
        a[i] = value;
#ifdef BROKEN
    if (n > 3)
        a[n - 1]++;
#endif
    for (int i = 0; i < n; i++)
        assert(a[i] == value);
    return 0;
}
