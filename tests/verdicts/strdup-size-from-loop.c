// EXPECT: false(unreach-call)
// TWIN: true
// strdup copies a string whose length comes out of a loop.
#include <stdlib.h>
#include <string.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    char b[33];
    unsigned k = 0;
    while (k < 31 && (n >> k & 1))
        b[k++] = 'a';
    b[k] = 0;
    char *t = strdup(b);
    if (t) {
#ifndef TWIN
        if (k && t[0])
#else
        if (k && t[0] != 'a')
#endif
            reach_error();
        free(t);
    }
    return 0;
}
