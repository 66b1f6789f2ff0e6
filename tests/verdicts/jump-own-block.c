// EXPECT: false(pointer)
// TWIN: true
// A jump within a function ends the lives of the blocks that it leaves, also where nothing is chosen.
#include <setjmp.h>
static jmp_buf b;
static int *p, outside;
int main(void) {
    if (setjmp(b) == 0) {
        int x = 3;
        p = &x;
#ifdef TWIN
        p = &outside;
#endif
        longjmp(b, 1);
    }
    return *p;
}
