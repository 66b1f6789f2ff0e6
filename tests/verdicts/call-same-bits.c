// EXPECT: false(assertion)
// TWIN: true
// Types that differ in name only: what every machine passes in the same way is no failure.
#include "h.h"
#include <stdlib.h>
#include <assert.h>
struct item { int key; };
static int compare(const struct item *a, const struct item *b) { return a->key < b->key ? -1 : a->key > b->key; }
static void done(char *text) { *text = 0; }
static unsigned size(unsigned n) { return n; }
static int more(int a) { return a; }
int main(void) {
    struct item all[2] = {{2}, {1}};
    char c = 'x';
    void (*end)(void *) = (void (*)(void *))done;
    int (*number)(int) = (int (*)(int))size;
    void (*forget)(int) = (void (*)(int))more;
    qsort(all, 2, sizeof all[0], (int (*)(const void *, const void *))compare);
    end(&c);
    forget(3);
#ifndef TWIN
    unsigned n = __VERIFIER_nondet_uint();
    assert(number(H(n) ? 4 : 3) == 3);
#else
    assert(number(3) == 3);
#endif
    return c;
}
