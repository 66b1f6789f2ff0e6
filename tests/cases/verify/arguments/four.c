#include <assert.h>
#include <string.h>
int main(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        assert(i < 3 || strlen(argv[i]) < 9);
    return 0;
}
