// EXPECT: false(unreach-call)
// FLAGS: --prop G ! call(reach_error())
// TWIN: true
// A function in memory of which nothing is known is called where its type fits, not by every call through that memory.
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
    char *place = (char *)((unsigned long)d + 0);
    ((struct device *)place)->start = start;
    locked = H(n);
#ifndef TWIN
    d->start(d);
#else
    d->add(d, 1);
    locked = 0;
    d->start(d);
#endif
    return 0;
}
