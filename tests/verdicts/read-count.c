// EXPECT: false
// TWIN: true
// read may fill the whole count.
#include <unistd.h>
#include "h.h"
int main(void) {
    char b[4];
#ifndef TWIN
    read(0, b, 5);
#else
    read(0, b, 4);
#endif
    return 0;
}
