// EXPECT: false(assertion)
// TWIN: true
// A function that nobody knows may return a number that both sides know as a mark.
#include <assert.h>
void *take(void);
int main(void) {
    char *p = take();
#ifndef TWIN
    assert(p != (char *)-1);
#else
    if (p == (char *)-1)
        assert(p);
#endif
    return 0;
}
