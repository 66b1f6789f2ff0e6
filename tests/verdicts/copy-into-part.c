// EXPECT: false(unreach-call)
// TWIN: true
// A copy or fill that covers a part of a long array changes that part alone, and what it wrote is known.
#include <string.h>
#include "h.h"
struct record { int key; short kind; char tag; };
static char queue[40];
static unsigned filled;
static void put(const struct record *r) {
    memcpy(queue + filled, r, sizeof *r);
    filled += sizeof *r;
}
int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    struct record in = {1, 2, 3}, out;
    unsigned char bytes[32];
    int list[20] = {0}, numbers[30];
    memset(bytes, 9, sizeof bytes);
    memcpy(bytes + 4, &in, sizeof in);
    memcpy(&out, bytes + 4, sizeof out);
    if (out.key != 1 || out.kind != 2 || out.tag != 3 || bytes[3] != 9 || bytes[12] != 9)
        reach_error();
    memset(list + 3, 255, 8);
    if (list[2] || list[3] != -1 || list[4] != -1 || list[5])
        reach_error();
    for (int i = 0; i < 30; i++)
        numbers[i] = i;
    memmove(numbers + 1, numbers, 12);
    if (numbers[0] != 0 || numbers[1] != 0 || numbers[3] != 2 || numbers[4] != 4)
        reach_error();
    for (int i = 0; i < 3; i++) {
        in.key = i;
        put(&in);
    }
    memcpy(&out, queue + sizeof out, sizeof out);
    if (out.key != 1 || out.kind != 2)
        reach_error();
#ifndef TWIN
    if (H(n)) {
        memcpy(queue + 2 * sizeof out, queue, sizeof out);
        memcpy(&out, queue + 2 * sizeof out, sizeof out);
        if (out.key != 2)
            reach_error();
    }
#endif
    return 0;
}
