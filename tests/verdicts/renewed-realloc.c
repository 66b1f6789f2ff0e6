// EXPECT: false
// TWIN: true
// A buffer that grows in a loop moves; pointers into the old one are gone.
#include <stdlib.h>
#include "h.h"
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    size_t room = 4, used = 0;
    char *buf = malloc(room);
    char *at = buf;
    while (__VERIFIER_nondet_int() && room < 100000) {
        if (used == room) {
            room += 4;
            buf = realloc(buf, room);
#ifdef TWIN
            at = buf + used;
#endif
        }
        if (H(n)) *at = 1; else buf[used] = 2;
        at = buf + used;
        used++;
    }
    free(buf);
    return 0;
}
