// EXPECT: false(assertion)
// TWIN: true
// A constant that no given file defines holds any value, always the same.
#include <assert.h>
extern const struct {
    unsigned tag, n;
} given;
extern void work(void);
int main(void) {
    const unsigned *where = &given.n;
    unsigned n = *where;
    work();
#ifndef TWIN
    assert(n * n * n + 7u * n != 939929280u);
#else
    assert(n == given.n);
#endif
    return 0;
}
