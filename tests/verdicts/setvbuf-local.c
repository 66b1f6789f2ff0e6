// EXPECT: unknown
// TWIN: true
// A stream uses its buffer in later calls.
#include <stdio.h>
static char lasting[BUFSIZ];
static void prepare(void) {
#ifndef TWIN
    char buffer[BUFSIZ];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
#else
    setvbuf(stdout, lasting, _IOFBF, sizeof lasting);
#endif
}
int main(void) {
    prepare();
    puts("text");
    return 0;
}
