// EXPECT: true
// TWIN: false(pointer)
// What the argument of va_end does is done.
#include <stdarg.h>
#include "h.h"
static int second(int count, ...) {
    va_list one, two, *lists[] = {&one, 0, &two}, **at = lists;
    va_start(one, count);
    va_copy(two, one);
#ifndef TWIN
    va_end(**at++);
    at++;
#else
    va_end(**at);
    at++;
#endif
    return va_arg(**at, int);
}
int main(void) {
    return second(1, 2);
}
