#include <stdio.h>
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    printf("hello\n");
    puts("there");
    int a = rand(), c = getchar(), x = __VERIFIER_nondet_int();
    printf("%d\n", x);
    if (a == 12345 && x == 77)
        assert(c != 'q');
    return 0;
}
