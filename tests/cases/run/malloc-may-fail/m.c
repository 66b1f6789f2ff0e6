#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *first = malloc(4);
    if (first == NULL) {
        puts("no memory");
        return 3;
    }
    char *second = strdup("abc");
    second[0] = 'x';
    puts(second);
    free(second);
    free(first);
    return 0;
}
