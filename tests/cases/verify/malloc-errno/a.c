#include <errno.h>
#include <stdlib.h>
extern void reach_error(void);
int main(void)
{
    errno = 0;
    char *p = malloc(100);
#ifdef FAILS
    if (!p && errno == ENOMEM)
#else
    if (p && errno != 0)
#endif
        reach_error();
    free(p);
}
