#include <string.h>

/* Cuts a text to at most `size` bytes, with its end. */
void cut(char *text, unsigned long size)
{
    if (strlen(text) >= size)
        text[size - 1] = 0;
}
