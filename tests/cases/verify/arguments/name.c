#include <assert.h>
#include <string.h>
int main(int argc, char **argv)
{
    assert(argc == 3 && strcmp(argv[1], "-o") == 0 && strcmp(argv[2], "a b") == 0 && argv[3] == 0);
    return 0;
}
