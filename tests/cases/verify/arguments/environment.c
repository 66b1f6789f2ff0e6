#include <assert.h>
int main(int argc, char **argv, char **envp)
{
    int n = 0;
    while (envp[n])
        n++;
    assert(n >= 0);
    return 0;
}
