// EXPECT: false(pointer)
// TWIN: true
// A constant array may be a format.
#include <stdio.h>
static const char shape[] = "%d %d\n";
int main(void) {
#ifndef TWIN
    printf(shape, 1);
#else
    printf(shape, 1, 2);
#endif
    return 0;
}
