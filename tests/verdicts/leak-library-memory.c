// EXPECT: false(leak)
// TWIN: true
// FLAGS: --property leak
// What the library keeps for itself is nobody's leak; what it hands over is.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    char *home = getenv("HOME");
    FILE *f = fopen("log", "r");
    char *copy = strdup("text");
    home = 0;
    f = 0;
#ifndef TWIN
    if (n > 5)
        copy = 0;
#endif
    free(copy);
    return home || f;
}
