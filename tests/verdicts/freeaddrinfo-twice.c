// EXPECT: false
// TWIN: true
// FLAGS: -D_GNU_SOURCE
// Handles that a function stores through a pointer have lives, too.
#include <netdb.h>
#include "h.h"
int main(void) {
#ifndef TWIN
    struct addrinfo *r;
    if (getaddrinfo("a","b", 0, &r)) return 0;
    freeaddrinfo(r);
    freeaddrinfo(r);
#else
    struct addrinfo *r;
    if (getaddrinfo("a","b", 0, &r)) return 0;
    freeaddrinfo(r);
#endif
    return 0;
}
