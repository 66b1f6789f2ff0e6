#include <stdio.h>

void put(int n);

FILE *out;
char *separator = " ";

int main(void)
{
    out = stdout;
    put(1);
    return 0;
}
