// EXPECT: false
// TWIN: true
// A variable that no file defines starts with any value, and the others with their own.
#include <assert.h>
extern int elsewhere;
int count = 1;
static int *where = &elsewhere;
void more(void) { count = count + 1; }
int main(void) {
#ifndef TWIN
    if (*where == 235350848) more();
#endif
    assert(count == 1);
    return 0;
}
