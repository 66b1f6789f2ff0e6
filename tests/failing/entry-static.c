// verify: --entry f
// A static function, called with the values of the run.
#include <assert.h>
struct item { int a; char c; struct item *next; unsigned b : 3; };
static int f(struct item *p, int n, unsigned long k)
{
    if (p->a == 12345 && p->c == 'z' && p->b == 5 && n == -7 && k > 1ul << 40)
        assert(0);
    return n;
}
