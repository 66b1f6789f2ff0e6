// EXPECT: true
// TWIN: false
// A function that writes nothing reads no count either.
#include <sys/socket.h>
#include "h.h"
int main(void) {
    struct sockaddr address;
#ifndef TWIN
    socklen_t size = sizeof address;
    int one = accept(3, 0, 0), two = accept(3, &address, &size);
#else
    int one = accept(3, 0, 0), two = accept(3, &address, 0);
#endif
    return one + two == 0;
}
