// verify: --property assertion
#include <assert.h>
// A pointer that no file defines leads to a variable of the program.
extern struct { int tag; int *at; } cursor;
int count;
int main(void) {
    if (cursor.at)
        *cursor.at = 2;
    assert(count == 0);
    return 0;
}
