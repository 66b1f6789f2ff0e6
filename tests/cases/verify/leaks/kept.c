#include <stdlib.h>

static int *table;

int main(void)
{
    table = malloc(10 * sizeof *table);
    table[3] = 1;
    return 0;
}
