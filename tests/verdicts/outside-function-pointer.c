// EXPECT: true
// TWIN: false(assertion)
// A pointer to a function that code outside gives is null, leads to a function outside, or to one whose address it may
// have been given.
#include <assert.h>
extern void keep(int (*)(int));
extern int (*kept(void))(int);
extern int (*hook)(int);
static int calls;
static int small(int x) {
    if (x * x * x + 7 * x == 939929280)
        calls++;
    return x;
}
int main(void) {
#ifdef TWIN
    keep(small);
#endif
    int (*f)(int) = kept();
    if (hook)
        hook(1);
#ifndef TWIN
    if (f)
        f(2);
    assert(calls == 0);
#else
    if (f == small)
        f(235350848);
    assert(calls == 0);
#endif
    return 0;
}
