// What is allocated, or comes to life, after the end of another object may lie in its place.
// EXPECT: unknown
// TWIN: true
#include <stdlib.h>
extern void reach_error(void);

int main(void) {
    char *first = malloc(16);
    int *p, *q;
    if (!first)
        return 0;
    free(first);
    char *second = malloc(16);
    {
        int x = 1;
        p = &x;
    }
    int y = 2;
    q = &y;
#ifdef TWIN
    if (second == (char *)q)
#else
    if (first == second || p == q)
#endif
        reach_error();
    free(second);
    return 0;
}
