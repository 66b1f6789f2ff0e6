// EXPECT: false
// TWIN: true
// A stream that is closed under a condition that no search guesses.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    unsigned n = __VERIFIER_nondet_uint();
    FILE *f = fopen("x","w");
    if (!f) return 0;
    if (H(n)) fclose(f);
    fprintf(f,"a");
#else
    unsigned n = __VERIFIER_nondet_uint();
    FILE *f = fopen("x","w");
    if (!f) return 0;
    if (H(n)) {fclose(f); return 0;} fprintf(f,"a");
#endif
    return 0;
}
