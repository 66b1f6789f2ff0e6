// verify:
// Code that the run does not reach needs symbols that nobody defines.
#include <assert.h>
extern int counter;
extern struct table { int a[4]; } table;
extern int unused(int);
int never(void) { return unused(counter) + table.a[1]; }
extern unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
    unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
    if (x == 77 && y == x * x * x + 5)
        assert(0);
    return 0;
}
