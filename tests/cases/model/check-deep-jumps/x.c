#include <setjmp.h>
void found(void);
void bad(void);
static jmp_buf top;
static void search(int depth)
{
    if (depth == 0)
        longjmp(top, 5);
    search(depth - 1);
    bad();
}
int main(void)
{
    int from = setjmp(top);
    if (from == 0)
        search(100);
    else if (from == 5)
        found();
    else
        bad();
}
