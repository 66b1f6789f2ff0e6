#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    char *text;
    int length = asprintf(&text, "%d", 5);
#ifdef SAFE
    if (length < 0)
        return 1;
#endif
    int first = text[0];
    if (length >= 0)
        free(text);
    return first;
}
