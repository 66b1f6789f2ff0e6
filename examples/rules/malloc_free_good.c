/* One owner frees the block. */
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

int main(void)
{
    int *block = malloc(4 * sizeof *block);
    if (!block)
        return 1;
    for (int n = 0; n < 4; n++)
        block[n] = n;
    if (__VERIFIER_nondet_int()) {
        free(block);
        return 0;
    }
    block[0]++;
    free(block);
    return 0;
}
