// EXPECT: true
// TWIN: false(leak)
// FLAGS: --property leak
// A pointer that is only an argument to be is held while other arguments are computed.
#include <stdlib.h>
static int count(int n)
{
    int s = 0;
    while (n > 0) {
        s += n;
        n--;
    }
    return s;
}
static int *keep(int *p, int n)
{
    *p = n;
    return p;
}
int main(void)
{
    int *p = keep(malloc(sizeof(int)), count(4));
#ifdef TWIN
    keep(malloc(sizeof(int)), count(3));
#endif
    free(p);
    return 0;
}
