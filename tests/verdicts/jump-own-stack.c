// EXPECT: false(pointer)
// TWIN: unknown or true
// A jump within a function takes back what was allocated on the stack since.
#include <setjmp.h>
static jmp_buf b;
static char *p, outside;
int main(void) {
    int size = 4;
    if (setjmp(b) == 0) {
        char a[size];
        p = a;
        p[0] = 3;
#ifdef TWIN
        p = &outside;
#endif
        longjmp(b, 1);
    }
    return *p;
}
