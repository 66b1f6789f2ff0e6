// EXPECT: true
// TWIN: false(pointer)
// The standard streams are open at the start, and a closed one is closed.
#include <stdio.h>
#include "h.h"
int main(void) {
    fprintf(stdout, "one\n");
    fputs("two\n", stderr);
    int c = fgetc(stdin);
#ifdef TWIN
    if (H(__VERIFIER_nondet_uint()))
        fclose(stdout);
#endif
    fflush(stdout);
    return c == EOF;
}
