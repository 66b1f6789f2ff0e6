// EXPECT: false
// TWIN: true
// recv may fill the whole count.
#include <sys/socket.h>
#include "h.h"
int main(void) {
    char b[4];
#ifndef TWIN
    recv(0, b, 5, 0);
#else
    recv(0, b, 4, 0);
#endif
    return 0;
}
