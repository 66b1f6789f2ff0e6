// verify: --args=-n\ 12
#include <assert.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    assert(argc != 3 || atoi(argv[2]) != 12);
    return 0;
}
