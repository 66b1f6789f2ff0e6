#include <assert.h>
#include <setjmp.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
static jmp_buf buffer;
static void deep(void) { longjmp(buffer, 3); }
static void last(void) { _Exit(3); }
int main(void)
{
#if CASE == 1
    exit(3);
#elif CASE == 2
    if (__VERIFIER_nondet_int())
        abort();
#elif CASE == 3
    assert(__VERIFIER_nondet_int() == 1);
#elif CASE == 4
    __VERIFIER_assume(0);
#else
    atexit(last);
    if (setjmp(buffer) == 0)
        deep();
    exit(1);
#endif
    return 0;
}
