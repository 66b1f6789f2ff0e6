// verify:
#include <stdlib.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    char *p = malloc(8);
    if (n <= 8)
        p[n] = 1;
    free(p);
    return 0;
}
