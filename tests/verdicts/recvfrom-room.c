// EXPECT: false
// TWIN: true
// FLAGS: -D_GNU_SOURCE
// An argument that is declared as a transparent union is a pointer.
#include <sys/socket.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    char b[4];
    struct sockaddr from;
    socklen_t room = sizeof from;
#ifndef TWIN
    if (H(n))
        room = 64;
#endif
    return recvfrom(3, b, sizeof b, 0, &from, &room) > 4;
}
