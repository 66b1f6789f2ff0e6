// verify:
// Input comes by results and into memory.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
    char b[8], c[4];
    if (fgets(b, sizeof b, stdin) && b[0] == 'x' && b[1] == 'y')
        if (read(0, c, 4) == 3 && c[2] == 7 && rand() == 42)
            assert(time(0) != 77);
    return 0;
}
