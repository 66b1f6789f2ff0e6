// EXPECT: false
// TWIN: true
// A constructor runs before main, and variables have their first values when it does.
#include <assert.h>
int count = 1, ready;
void more(void) { count = count + 1; }
__attribute__((constructor)) static void prepare(void) {
    ready = count;
}
int main(void) {
#ifndef TWIN
    assert(ready == 2);
#else
    assert(ready == 1 && count == 1);
#endif
    return 0;
}
