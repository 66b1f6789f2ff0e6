#include <assert.h>
int main(int argc, char **argv)
{
    assert(argc >= 0);
    if (argc < 2)
        return 1;
    return 0;
}
