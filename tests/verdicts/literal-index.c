// EXPECT: false
// TWIN: true
// A character of a string literal by its index.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    "abc"[1] = 'x';
#else
    char s[] = "abc";
    s[1] = 'x';
#endif
    return 0;
}
