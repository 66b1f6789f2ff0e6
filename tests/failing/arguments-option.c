// verify:
// The arguments of the run reach gcc's program.
#include <assert.h>
#include <string.h>
int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "-v") == 0)
        assert(0);
    return 0;
}
