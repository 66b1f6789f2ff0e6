/* An early exit frees the block, and so does the end. */
#include <stdlib.h>
int __VERIFIER_nondet_int(void);

int main(void)
{
    int *block = malloc(4 * sizeof *block);
    if (!block)
        return 1;
    if (__VERIFIER_nondet_int() == 17)
        free(block);
    free(block);
    return 0;
}
