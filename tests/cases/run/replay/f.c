#include <assert.h>
struct item { int a; short b; };
int f(struct item *p, int n)
{
    if (!p)
        return 0;
    assert(p->a != 7 || p->b != -2 || n != 12);
    return 0;
}
