// EXPECT: false(assertion)
// TWIN: true
// A variable that no file defines starts with any value.
#include <assert.h>
extern int level;
extern const unsigned char limit;
int main(void) {
#ifndef TWIN
    assert(level <= limit);
#else
    assert(limit <= 255);
    level = limit;
    assert(level >= 0);
#endif
    return 0;
}
