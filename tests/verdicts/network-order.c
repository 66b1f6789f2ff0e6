// EXPECT: true
// TWIN: false(unreach-call)
// Networks send the high byte first.
#include <arpa/inet.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    unsigned short s = n;
#ifndef TWIN
    if (ntohl(htonl(n)) != n || ntohs(htons(s)) != s || (htonl(n) & 0xff) != n >> 24)
        reach_error();
#else
    if (H(n) && (htonl(n) & 0xff) == 0x0e)
        reach_error();
#endif
    return 0;
}
