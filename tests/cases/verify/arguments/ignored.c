#include <assert.h>
int main(int argc, char **argv)
{
    int x = 1;
    assert(x == 1);
    return 0;
}
