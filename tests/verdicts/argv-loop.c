// EXPECT: true or unknown
// TWIN: false
// argv[i] is a string for every i from 1 to argc - 1. More arguments than are covered make the
// answer unknown, and never false.
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
