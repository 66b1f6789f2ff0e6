#include <errno.h>
#include <string.h>
int in(void);
void bad(void);
int main(void)
{
    errno = 0;
#ifdef LIBRARY
    if (strlen("abc") == 3 && errno)
        bad();
#else
    in();
    if (errno)
        bad();
#endif
}
