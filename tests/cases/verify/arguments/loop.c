#include <assert.h>
int main(int argc, char **argv)
{
    int options = 0;
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-')
            options++;
    assert(options < argc || argc == 0);
    return 0;
}
