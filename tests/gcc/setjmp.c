// __builtin_setjmp and __builtin_longjmp.
#include <stdio.h>
static void *buffer[5];
static void leave(int n) {
    if (n == 0)
        __builtin_longjmp(buffer, 1);
    leave(n - 1);
}
int main(void) {
    volatile int n = 3;
    if (!__builtin_setjmp(buffer)) {
        n = 4;
        leave(n);
        puts("never");
    }
    printf("back %d\n", n);
    return 0;
}
