// verify:
// What is printed stays, and its results are no answers to the program.
#include <assert.h>
#include <stdio.h>
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int x = __VERIFIER_nondet_int();
    printf("%d\n", x);
    puts("done");
    assert(x != 12);
    return 0;
}
