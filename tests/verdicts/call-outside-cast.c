// EXPECT: false(unreach-call)
// FLAGS: --prop G ! call(reach_error())
// TWIN: true
// A function that is written to memory of which nothing is known under another type is called by that type.
#include "h.h"
extern void *__VERIFIER_nondet_pointer(void);
struct device {
    int (*start)(struct device *);
    int (*add)(struct device *, int);
};
static int locked;
static int start(struct device *d) {
    (void)d;
    if (locked)
        reach_error();
    return 0;
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    struct device *d = __VERIFIER_nondet_pointer();
    d->add = (int (*)(struct device *, int))start;
#ifndef TWIN
    locked = H(n);
#endif
    d->add(d, 1);
    return 0;
}
