// EXPECT: true
// TWIN: false
// argv[i] is a string for every i from 1 to argc - 1.
#include "h.h"
int main(int argc, char **argv) {
    int count = 0;
#ifndef TWIN
    for (int i = 1; i < argc; i++)
#else
    for (int i = 1; i <= argc; i++)
#endif
        if (argv[i][0] == '-')
            count++;
    return count;
}
