// verify: --engine explore
// What the result points to lies outside the program.
#include <assert.h>
#include <stdlib.h>
int main(void)
{
    char *home = getenv("HOME");
    assert(home == 0 || home[0] != 'q');
    return 0;
}
