#include <assert.h>
static char **list;
static int second(void) { return list[1] != 0; }
int main(int argc, char **argv)
{
    list = argv;
    assert(argc < 2 || second());
    return 0;
}
