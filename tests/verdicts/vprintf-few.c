// EXPECT: false
// TWIN: true
// A format that a function hands on is looked at where that is called.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include <stdarg.h>
#include "h.h"
static void lg(const char *f, ...){va_list a; va_start(a, f); vprintf(f, a); va_end(a);}
int main(void) {
#ifndef TWIN
    lg("%s %s","a");
#else
    lg("%s %s","a","b");
#endif
    return 0;
}
