#include <setjmp.h>
extern int in(void);
extern void work(void), fault(void), recovered(void);
static jmp_buf home;
static void job(int k)
{
    work();
    if (k < 0) {
        fault();
        longjmp(home, 3);
    }
}
static void guarded(int k)
{
    if (setjmp(home) == 0)
        job(k);
    else
        recovered();
}
int main(void)
{
    for (int i = 0; i < 2; i++)
        guarded(in());
    return 0;
}
