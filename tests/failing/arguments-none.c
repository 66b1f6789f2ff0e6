// verify:
// argc may be 0: then there is no name.
#include <assert.h>
int main(int argc, char **argv)
{
    assert(argv[0] != 0);
    return 0;
}
