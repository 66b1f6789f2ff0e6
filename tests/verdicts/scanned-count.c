// What %n stores is stored whenever the conversion before it succeeds, and counts what that took.
// EXPECT: true
// TWIN: false(unreach-call)
#include <stdio.h>
extern void reach_error(void);

int main(void) {
    int number, count = 0;
#ifdef TWIN
    if (scanf("%d:%n", &number, &count) == 1 && count < 1)
#else
    if (scanf("%d%n", &number, &count) == 1 && count < 1)
#endif
        reach_error();
    return 0;
}
