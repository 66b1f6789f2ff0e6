#include <assert.h>
struct handler { int priority; void (*run)(void); };
static int x;
static void set(void) { x = 1; }
void reg(struct handler *);
int main(void) {
    struct handler handler = {3, set};
    reg(&handler);
    assert(x == 0);
}
