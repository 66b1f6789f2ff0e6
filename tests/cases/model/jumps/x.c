#include <setjmp.h>
extern int __VERIFIER_nondet_int(void);
static jmp_buf home;
int out;
static void deep(int n)
{
    if (n > 0)
        deep(n - 1);
    else
        longjmp(home, __VERIFIER_nondet_int() ? 2 : 0);
}
int main(void)
{
    int state = 1;
    int came = setjmp(home);
    if (came != 0) {
        out = came;
        out = state;
        return 2;
    }
    state = 5;
    if (__VERIFIER_nondet_int())
        deep(2);
    state = 6;
    out = 7;
    return 0;
}
