#include <assert.h>
int main(int argc, char **argv)
{
    if (argc < 2)
        return 1;
    assert(argv[1] != 0);
    if (argv[1][0] == '-')
        return argv[1][1];
    return 0;
}
