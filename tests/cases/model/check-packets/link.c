#include <string.h>
struct pkt { unsigned char type; unsigned char seq; unsigned short len; char data[8]; };
int recv_pkt(struct pkt *p); void ack(int); void deliver(void); void reset(void);
struct link { int up; unsigned char expect; };
static struct link l;
int main(void)
{
    struct pkt p;
    while (recv_pkt(&p) > 0) {
        struct pkt copy = p;
        switch (copy.type) {
        case 1: l.up = 1; l.expect = copy.seq; ack(copy.seq); break;
        case 2: if (!l.up) { reset(); break; }
                if (copy.seq == l.expect && copy.len <= sizeof copy.data) { l.expect++; deliver(); }
                ack(l.expect); break;
        case 3: l.up = 0; break;
        }
    }
    return 0;
}
