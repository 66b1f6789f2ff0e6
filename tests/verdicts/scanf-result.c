// EXPECT: true
// TWIN: false(unreach-call)
// The result says which conversions have stored a value.
#include "h.h"
#include <stdio.h>
#include <string.h>
int main(void) {
    int a = 1, b = 2;
    char w[5] = "zz";
    int r = scanf("%d %4s %*d %d", &a, w, &b);
#ifndef TWIN
    if (r < 1 && a != 1)
        reach_error();
    if (r < 2 && strcmp(w, "zz") != 0)
        reach_error();
    if (r < 3 && b != 2)
        reach_error();
    if (r > 3 || strlen(w) > 4)
        reach_error();
#else
    if (r == 3 && a == 7 && b == 123456 && w[1] == 'q')
        reach_error();
#endif
    return 0;
}
