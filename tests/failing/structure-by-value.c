// verify:
#include <assert.h>
// A function without a body writes where a pointer in a structure leads.
struct message { int tag; struct { int *count; } body; };
extern void deliver(struct message);
int main(void) {
    int count = 1;
    struct message m = {2, {&count}};
    deliver(m);
    assert(count != 77);
    return 0;
}
