// verify:
// A function without a body writes what it is given, also by unnamed arguments.
#include <assert.h>
extern int fill(int *a, const char *name);
extern void more(const char *format, ...);
extern int old();
int main(void)
{
    int a[2] = {1, 1}, b = 1, c = 1;
    fill(a, "x");
    more("%d %d", 3, &b);
    old(&c);
    assert(a[1] == 1 || b == 1 || c == 1);
    return 0;
}
