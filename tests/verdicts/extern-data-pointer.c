// EXPECT: false(assertion)
// TWIN: true
// FLAGS: --property assertion
// A pointer that no file defines may lead to a variable that other files can name.
#include <assert.h>
extern int *cursor;
#ifdef TWIN
static
#endif
int count;
int main(void) {
    count = 1;
    if (cursor)
        *cursor = 2;
    assert(count == 1);
    return 0;
}
