#include <stdlib.h>
int main(void)
{
    int *first = malloc(4), *second;
    if (!first)
        return 1;
    second = malloc(4);
    *second = 1;
    return 0;
}
