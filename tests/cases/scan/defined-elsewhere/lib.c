#include <stdio.h>

extern FILE *out;
extern char *separator;

void put(int n)
{
    fprintf(out, "%d%s", n, separator);
}

int mean(int sum, int count)
{
    return sum / count;
}
