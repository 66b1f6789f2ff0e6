#include <stdlib.h>
#include <assert.h>
unsigned char __VERIFIER_nondet_uchar(void);
int main(void)
{
    unsigned n = __VERIFIER_nondet_uchar(), i = 0;
    char *p = malloc(n + 1);
    while (i < n)
        p[i++] = 'x';
    assert(n == 0 || p[n - 1] == 'x');
    return 0;
}
