// EXPECT: unknown or false
// TWIN: true
// A format that comes from outside may want any arguments.
#include <stdio.h>
int main(void) {
    char line[16];
    if (!fgets(line, sizeof line, stdin))
        return 0;
#ifndef TWIN
    printf(line);
#else
    printf("%s", line);
#endif
    return 0;
}
