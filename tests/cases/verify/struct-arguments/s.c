#include <assert.h>
struct inner { int n; union { int *p; long l; } u; };
struct outer { char tag; struct inner list[2]; void (*f)(void); };
struct number { int a, b; };
extern void by_value(struct outer o);
extern void old_style();
extern void numbers(struct number n, void (*f)(void));
static void f(void) {}
int main(void)
{
    int x = 1;
    struct outer o = { 't' };
    struct number n = { 1, 2 };
    o.list[1].u.p = &x;
#ifdef PLAIN
    by_value(o);
#elif defined OLD
    old_style(3, o);
#else
    numbers(n, f);
#endif
    assert(x == 1);
    return n.a - 1;
}
