// EXPECT: true
// TWIN: false(unreach-call)
// What is put back is read again.
#include <stdio.h>
#include "h.h"
int main(void) {
    int c = getchar();
    if (c == EOF)
        return 0;
#ifndef TWIN
    ungetc(c, stdin);
#endif
    if (getc(stdin) != c)
        reach_error();
    return 0;
}
