// EXPECT: false
// TWIN: true
// write reads the whole count.
#include <unistd.h>
#include "h.h"
int main(void) {
    char b[4] = {0};
#ifndef TWIN
    write(1, b, 5);
#else
    write(1, b, 4);
#endif
    return 0;
}
