#include <string.h>
int in(void);
void good(void);
void bad(void);
struct record { int key; short kind; char tag; };
static char queue[64];
static unsigned filled;
static void put(const struct record *r)
{
    memcpy(queue + filled, r, sizeof *r);
    filled += sizeof *r;
}
int main(void)
{
    struct record r = {in() & 3, 2, 3}, out;
    put(&r);
    r.key = 7;
    put(&r);
    memcpy(&out, queue, sizeof out);
    if (out.key > 3 || out.kind != 2 || out.tag != 3)
        bad();
    memcpy(&out, queue + sizeof out, sizeof out);
    if (out.key != 7)
        bad();
    if (out.kind == 2)
        good();
}
