// verify:
// Nobody reads argv, so argc may be larger than any list.
#include <assert.h>
int main(int argc, char **argv)
{
    assert(argc < 100000);
    return 0;
}
